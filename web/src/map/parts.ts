/** What topics part into on the map: nodes of the tree, or, where none was grown, topics of a finer cut of the run. */
import type { Head, Points } from '../payload'
import { groupsOf, topicsAbove, type Group } from './groups'

export interface Part extends Group {
  topic: number
  words: string[]
}

/** The same documents in more topics. */
export interface Finer {
  head: Head
  points: Points
}

const FEWEST = 3 // documents of a part that has a name
const LEAST = 0.1 // of a topic's documents, for a topic of the finer cut to be a part of it
const MINE = 0.25 // and of that topic's own
const NAMING = 3 // keywords of a topic that its name is made of: they tell none of its parts from the others

const isIn = (topic: number, n: number): boolean => topic >= 0 && topic < n

export function partsOf(points: Points, { topics, tree }: Head, finer: Finer | null): Part[] {
  if (points.node && tree) return partsOfTree(points, topics.length, tree.nodes)
  return finer ? partsOfCut(points, topics, finer) : []
}

function partsOfTree(points: Points, n: number, nodes: NonNullable<Head['tree']>['nodes']): Part[] {
  const above = topicsAbove(nodes)
  const nodeOf = (row: number) => (isIn(points.topic[row]!, n) ? points.node![row]! : -1)
  return groupsOf(points, nodeOf, nodes.length).flatMap((group, node) =>
    group && group.size >= FEWEST && above[node]! >= 0
      ? [{ ...group, topic: above[node]!, words: nodes[node]!.keywords }]
      : [],
  )
}

/** Documents of a topic that are in one topic of the finer cut are a part of it, where there are two such parts or more. */
function partsOfCut(points: Points, topics: Head['topics'], finer: Finer): Part[] {
  const [n, m] = [topics.length, finer.head.topics.length]
  const pairOf = (row: number) => {
    const [topic, part] = [points.topic[row]!, finer.points.topic[row]!]
    return isIn(topic, n) && isIn(part, m) ? topic * m + part : -1
  }
  const groups = groupsOf(points, pairOf, n * m)
  const sizes = Array.from({ length: m }, (_, part) =>
    topics.reduce((sum, { topic }) => sum + (groups[topic * m + part]?.size ?? 0), 0),
  )
  return topics.flatMap(({ topic, keywords }) => {
    const own = groups.slice(topic * m, (topic + 1) * m)
    const all = own.reduce((sum, group) => sum + (group?.size ?? 0), 0)
    const known = new Set(keywords.slice(0, NAMING).map(([word]) => word))
    const parts = own.flatMap((group, part) => {
      const least = Math.max(FEWEST, LEAST * all, MINE * sizes[part]!)
      if (!group || group.size < least) return []
      const words = finer.head.topics[part]!.keywords.map(([word]) => word).filter((word) => !known.has(word))
      return [{ ...group, topic, words }]
    })
    return parts.length > 1 ? parts : []
  })
}
