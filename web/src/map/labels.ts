/** Which names of topics are shown: the largest first, and none that would lie on another. */

export interface Label {
  topic: number
  x: number
  y: number
  width: number
  height: number
}

export function shownLabels(labels: Label[], width: number, height: number, apart = 4): Label[] {
  const shown: Label[] = []
  for (const label of labels) {
    const seen = label.x > 0 && label.x < width && label.y > 0 && label.y < height
    const free = shown.every(
      (other) =>
        Math.abs(other.x - label.x) >= (other.width + label.width) / 2 + apart ||
        Math.abs(other.y - label.y) >= (other.height + label.height) / 2 + apart,
    )
    if (seen && free) shown.push(label)
  }
  return shown
}
