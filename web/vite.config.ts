import { copyFileSync } from 'node:fs'
import type { ConfigEnv, UserConfig } from 'vite'
import { defineConfig } from 'vitest/config'
import { viteSingleFile } from 'vite-plugin-singlefile'

/** Put the built file where the Python package carries it; a build to another folder (--outDir) stays there.
 * Tests end with closeBundle too, and would put an older build there. */
const intoPackage = {
  name: 'quire-into-package',
  apply: (config: UserConfig, { command }: ConfigEnv) =>
    command === 'build' && (config.build?.outDir === undefined || config.build.outDir === 'dist'),
  closeBundle() {
    copyFileSync(
      new URL('dist/index.html', import.meta.url),
      new URL('../src/quire/pages/app.html', import.meta.url),
    )
  },
}

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), intoPackage],
  build: { target: 'es2022', modulePreload: false, reportCompressedSize: true, assetsInlineLimit: 0 },
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.{ts,tsx}'], environment: 'node' } },
      { test: { name: 'screenshots', include: ['browser/screenshots.test.ts'], environment: 'node' } },
      {
        test: {
          name: 'measure',
          include: ['browser/measure.test.ts'],
          environment: 'node',
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'torture',
          include: ['browser/torture.test.ts'],
          environment: 'node',
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['browser/**/*.test.ts'],
          exclude: ['browser/measure.test.ts', 'browser/screenshots.test.ts', 'browser/torture.test.ts'],
          environment: 'node',
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 240_000,
          globalSetup: ['browser/setup.ts'],
        },
      },
    ],
  },
})
