/** What topics part into on the map: nodes of the tree, or, where none was grown, topics of a finer cut of the run. */
import type { Head, Points } from '../payload'
import { groupsOf, topicsAbove, type Group } from './groups'

export interface Part extends Group {
  topic: number
  words: string[]
}

const FEWEST = 3 // documents of a part that has a name

export function partsOf(points: Points, { topics, tree, parts }: Head): Part[] {
  const nodes = tree?.nodes ?? []
  const above = topicsAbove(nodes)
  const [code, named] = points.node
    ? [points.node, nodes.map(({ keywords }, node) => ({ topic: above[node]!, keywords }))]
    : [points.part, parts ?? []]
  if (!code) return []
  const isShown = (topic: number) => topic >= 0 && topic < topics.length
  const codeOf = (row: number) => (isShown(points.topic[row]!) ? code[row]! : -1)
  return groupsOf(points, codeOf, named.length).flatMap((group, i) => {
    const { topic, keywords } = named[i]!
    return group && group.size >= FEWEST && topic >= 0 ? [{ ...group, topic, words: keywords }] : []
  })
}
