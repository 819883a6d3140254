/** From one cut to another: where the documents of a topic are, by their topics alone. */

/** The topics of the other cut that a topic's documents are in, most first, with how many; −1: in none. */
export function whereTo(
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  topic: number,
): [topic: number, n: number][] {
  const found = new Map<number, number>()
  for (let row = 0; row < from.length; row++)
    if (from[row] === topic) found.set(to[row]!, (found.get(to[row]!) ?? 0) + 1)
  return [...found].sort(([a, n], [b, m]) => m - n || a - b)
}

/** The topic of the other cut that has most of a topic's documents; undefined: none has. */
export function heirOf(from: ArrayLike<number>, to: ArrayLike<number>, topic: number): number | undefined {
  return whereTo(from, to, topic).find(([other]) => other >= 0)?.[0]
}
