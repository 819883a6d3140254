/** Before the browser tests: runs, their page as one file, and a server that shows the same run. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'

export const PYTHON = process.env.QUIRE_PYTHON ?? join(import.meta.dirname, '../../.venv/bin/python')

declare module 'vitest' {
  interface ProvidedContext {
    folder: string
    file: string
    served: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-browser-'))
  const made = spawnSync(PYTHON, [join(import.meta.dirname, 'make_runs.py'), folder], {
    encoding: 'utf8',
    timeout: 200_000,
  })
  if (made.status !== 0) throw new Error(`The runs could not be made: ${made.stderr}`)
  // Other tests name topics of the run that is served, in whatever order files are run.
  cpSync(join(folder, 'run'), join(folder, 'untouched'), { recursive: true })
  const server = serve(
    join(folder, 'run'),
    '--choice',
    join(folder, 'choice'),
    '--compare',
    join(folder, 'other'),
  )
  project.provide('folder', folder)
  project.provide('file', `file://${join(folder, 'page.html')}`)
  project.provide('served', await addressOf(server))
  return async () => {
    await stop(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

export function serve(run: string, ...options: string[]): ChildProcess {
  const quire = join(dirname(PYTHON), 'quire')
  return spawn(quire, ['serve', run, '--port', '0', '--no-open', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The address that a server prints when it is ready. */
export function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    const lines = createInterface({ input: server.stdout! })
    lines.on('line', (line) => {
      const address = /http:\/\/\S+\//.exec(line)?.[0]
      if (address) found(address)
    })
    server.on('exit', (code) => failed(new Error(`quire serve ended with ${code}`)))
  })
}

export function stop(server: ChildProcess): Promise<void> {
  return new Promise((done) => {
    server.on('exit', () => done())
    server.kill('SIGINT')
  })
}
