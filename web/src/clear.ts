/** In words for everybody: which documents have a clear place, and how stable a topic is. No DOM here. */
import { count, percent } from './format'
import type { Head, Topic } from './payload'

/** Of 255, as the points keep memberships: a topic that explains half of a document or more (`CLEAR` of topic_facts.py). */
export const CLEAR = 128

/** How many documents have a clear place; null where an older page does not say. */
export function clearIn(topics: Topic[]): number | null {
  if (topics.some((each) => each.clear === undefined)) return null
  return topics.reduce((sum, each) => sum + each.clear!, 0)
}

export const CLEAR_ABOUT =
  'A document has a clear place where one topic explains half of it or more; the others lie between topics.'

/** What "stable" says, of topics of a run; the terminal shows the same number under the same word. */
export const stableAbout = ({ about }: Pick<Head, 'about'>): string =>
  `Topics were looked for ${about.runs === null ? 'several' : count(about.runs)} times, each time from another start. ` +
  'Stable says how often two documents of a topic were together: 100 % always, near 0 % as if by chance.'

/** The same of one topic; empty where it is not known. */
export function stableOf({ about }: Pick<Head, 'about'>, { stability, size }: Topic): string {
  if (stability === null || size < 2) return ''
  return `stable: two documents of this topic were together in ${percent(stability, 0)} of ${about.runs === null ? 'the' : count(about.runs)} runs`
}
