/** Small parts that several views use. */
import type { ComponentChildren, JSX } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { colourOf } from '../colour'
import { percent, plain } from '../format'
import { href } from '../route'
import { allPoints, head, nameOf, points, terms, time, type Resource } from '../store'
import type { Points, Terms, Time } from '../payload'

/** A topic: its colour, its number, its name, as a link to it. */
export function TopicLink({
  topic,
  params,
}: {
  topic: number
  params?: Record<string, string | number>
}): JSX.Element {
  if (topic < 0) return <span class="none">no topic</span>
  return (
    <a class="topic-link" href={href('topic', topic, params)}>
      <Swatch topic={topic} /> <span class="topic-name">{plain(nameOf(topic), 80)}</span>
    </a>
  )
}

export function Swatch({ topic }: { topic: number }): JSX.Element {
  return <span class="swatch" style={{ background: colourOf(topic) }} aria-hidden="true" />
}

/** A word, as a link to what is known of it. */
export function Word({ word }: { word: string }): JSX.Element {
  return (
    <a class="word" href={href('word', word)}>
      {plain(word, 60)}
    </a>
  )
}

/** A share as a bar with its number; the bar is decoration, the number is read. */
export function Meter({
  share,
  text,
  title,
}: {
  share: number | null
  text?: string
  title?: string
}): JSX.Element {
  if (share === null || !Number.isFinite(share))
    return (
      <span class="none" title={title}>
        –
      </span>
    )
  return (
    <span class="meter" title={title}>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      </span>
      <span class="figure-text">{text ?? percent(share)}</span>
    </span>
  )
}

export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>
}
export function Wait({ children }: { children?: ComponentChildren }): JSX.Element {
  return (
    <p class="wait" role="status">
      {children ?? 'Reading …'}
    </p>
  )
}
export function Sorry({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="sorry" role="alert">
      {children}
    </p>
  )
}

function useResource<T>(wanted: Resource<T>): { value: T | undefined; error: string } {
  useEffect(() => wanted.need(), [wanted, head.value])
  return { value: wanted.value.value, error: wanted.error.value }
}

export const useAllPoints = (): { value: Points | undefined; error: string } => useResource(allPoints)
export const usePoints = (): { value: Points | undefined; error: string } => useResource(points)
export const useTerms = (): { value: Terms | undefined; error: string } => useResource(terms)
export const useTime = (): { value: Time | null | undefined; error: string } => useResource(time)

/** The answer to an asynchronous question; asked anew when `key` changes, and an answer that comes too late is dropped. */
export function useAnswer<T>(key: string, ask: () => Promise<T>): { value: T | undefined; error: string } {
  const [answer, setAnswer] = useState<{ key: string; value?: T; error: string }>({ key: '', error: '' })
  useEffect(() => {
    let wanted = true
    ask().then(
      (value) => {
        if (wanted) setAnswer({ key, value, error: '' })
      },
      (error: Error) => {
        if (wanted) setAnswer({ key, error: error.message })
      },
    )
    return () => {
      wanted = false
    }
  }, [key])
  return answer.key === key ? { value: answer.value, error: answer.error } : { value: undefined, error: '' }
}

const usable = (width: number) => Math.max(200, Math.floor(width))

/** How wide an element is, also after the window was changed. */
export function useWidth(otherwise = 800): [(element: HTMLElement | null) => void, number] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState(otherwise)
  useEffect(() => {
    if (!element) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setWidth(usable(entry.contentRect.width))
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [element])
  const place = useCallback((found: HTMLElement | null) => {
    // measured at once: nothing is drawn for a width that it does not have
    if (found) setWidth(usable(found.clientWidth))
    setElement(found)
  }, [])
  return [place, width]
}

/** All topics, as a table's rows. */
export const allTopics = () => head.value?.topics ?? []
