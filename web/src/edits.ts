/** Edits that a page kept by itself, as lines that `quire edit RUN --import` takes. */
import type { Head } from './payload'

/** Keywords by which a topic is found again in another run. */
const WORDS = 10

interface Line {
  what: 'rename' | 'note'
  topic: number
  name?: string
  note?: string
  words: string[]
  cut?: number
  when: string
}

/** Names and notes of the topics of one cut; `cut` is null for the run's own. */
export function linesOf(
  head: Head,
  names: Record<number, string>,
  notes: Record<number, string>,
  cut: number | null,
  when: string,
): Line[] {
  const line = (what: 'rename' | 'note', topic: number, text: string): Line => ({
    what,
    topic,
    ...(what === 'rename' ? { name: text } : { note: text }),
    words: head.topics[topic]!.keywords.slice(0, WORDS).map(([word]) => word),
    ...(cut === null ? {} : { cut }),
    when,
  })
  const of = (what: 'rename' | 'note', all: Record<number, string>) =>
    Object.entries(all)
      .filter(([topic]) => head.topics[Number(topic)])
      .map(([topic, text]) => line(what, Number(topic), text))
  return [...of('rename', names), ...of('note', notes)]
}

export const asLines = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
