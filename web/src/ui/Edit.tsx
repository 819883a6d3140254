/** What a person can change: a topic merged, split, removed, noted, a document moved; and the way back. */
import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { counted, plain } from '../format'
import { go, href } from '../route'
import { edit, head, keepNote, nameOf, noteOf, working } from '../store'
import { Sorry } from './small'
import './Edit.css'

/** Whether the panel is open: it stays so while topics change under it. */
const panel = signal(false)

/** Do something that may be refused, and say why. */
function useTry(): [string, (work: () => Promise<void>) => void] {
  const [error, setError] = useState('')
  const attempt = (work: () => Promise<void>) => {
    setError('')
    work().catch((reason: Error) => setError(reason.message))
  }
  return [error, attempt]
}

/** Another topic, by its name. */
function Another({
  but,
  label,
  chosen,
  choose,
}: {
  but: number
  label: string
  chosen: number
  choose(topic: number): void
}): JSX.Element {
  return (
    <select aria-label={label} value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
      {head
        .value!.topics.filter(({ topic }) => topic !== but)
        .map(({ topic }) => (
          <option key={topic} value={topic}>
            {topic}: {plain(nameOf(topic), 60)}
          </option>
        ))}
    </select>
  )
}

function Row({ children, onSubmit }: { children: ComponentChildren; onSubmit(): void }): JSX.Element {
  return (
    <form
      class="edit-row"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}>
      {children}
    </form>
  )
}

/** All that can be done with a topic; of a file only what is said of it. */
export function EditTopic({ topic }: { topic: number }): JSX.Element {
  const { topics, has } = head.value!
  const first = topics.find((each) => each.topic !== topic)?.topic ?? -1
  const nearest = topics[topic]?.nearest[0]?.[0] ?? first
  const [other, setOther] = useState(nearest)
  const [parts, setParts] = useState(2)
  const [error, attempt] = useTry()
  useEffect(() => setOther(nearest), [topic, topics])
  const merge = async () => {
    await edit('merge', { topics: [topic, other] })
    go(href('topic', topic - (other < topic ? 1 : 0)))
  }
  const remove = async () => {
    await edit('remove', { topic })
    go(href('topics'))
  }
  const busy = working.value !== ''
  return (
    <details
      class="edit"
      open={panel.value}
      onToggle={(event) => {
        panel.value = event.currentTarget.open
      }}>
      <summary>Edit this topic</summary>
      {has.edit && other >= 0 && (
        <Row onSubmit={() => attempt(merge)}>
          <span>Merge it with</span>
          <Another but={topic} label="The topic to merge with" chosen={other} choose={setOther} />
          <button type="submit" disabled={busy}>
            merge
          </button>
        </Row>
      )}
      {has.edit && (
        <Row onSubmit={() => attempt(() => edit('split', { topic, into: parts }))}>
          <span>Split it into</span>
          <input
            type="number"
            min={2}
            max={50}
            value={parts}
            aria-label="How many parts"
            onInput={(event) => setParts(Number(event.currentTarget.value))}
          />
          <span>parts</span>
          <button type="submit" disabled={busy}>
            split
          </button>
          <span class="edit-about">only its {counted(topics[topic]?.size ?? 0, 'document')} move</span>
        </Row>
      )}
      {has.edit && topics.length > 1 && (
        <Row onSubmit={() => attempt(remove)}>
          <button type="submit" disabled={busy}>
            remove it
          </button>
          <span class="edit-about">its documents go to their next topics</span>
        </Row>
      )}
      <Note topic={topic} attempt={attempt} />
      {busy && <p role="status">Working …</p>}
      {error && <Sorry>{error}</Sorry>}
    </details>
  )
}

function Note({ topic, attempt }: { topic: number; attempt(work: () => Promise<void>): void }): JSX.Element {
  const kept = noteOf(topic)
  const [text, setText] = useState(kept)
  useEffect(() => setText(kept), [topic, kept])
  return (
    <Row onSubmit={() => attempt(() => keepNote(topic, text))}>
      <textarea
        rows={2}
        maxLength={2000}
        value={text}
        aria-label="Note about the topic"
        placeholder="A note about it"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={text.trim() === kept || working.value !== ''}>
        keep the note
      </button>
    </Row>
  )
}

/** Put a document into another topic, where it then stays. */
export function MoveDocument({ id, topic }: { id: string | null; topic: number }): JSX.Element | null {
  const { topics, has } = head.value!
  const first = topics.find((each) => each.topic !== topic)?.topic ?? -1
  const [to, setTo] = useState(first)
  const [error, attempt] = useTry()
  useEffect(() => setTo(first), [id, topic, topics])
  if (!has.edit || id === null || first < 0) return null
  return (
    <div class="edit">
      <Row onSubmit={() => attempt(() => edit('move', { document: id, topic: to }))}>
        <span>Move it to</span>
        <Another but={topic} label="The topic to move it to" chosen={to} choose={setTo} />
        <button type="submit" disabled={working.value !== ''}>
          move
        </button>
      </Row>
      {error && <Sorry>{error}</Sorry>}
    </div>
  )
}

/** The step that is under way: who presses a key again before it is done asks for another one after it. */
let last: Promise<void> = Promise.resolve()

const stepped = (what: 'undo' | 'redo'): Promise<void> => {
  const next = () => (head.value?.edits?.[what] ? edit(what) : Promise.resolve())
  last = last.then(next, next)
  return last
}

/** Undo and redo, also by Ctrl+Z and Ctrl+Y where nobody is writing. */
export function Steps(): JSX.Element | null {
  const [error, attempt] = useTry()
  const known = head.value?.edits
  const allowed = !!head.value?.has.rename && !!known
  const step = (what: 'undo' | 'redo') => attempt(() => stepped(what))
  useEffect(() => {
    if (!allowed) return undefined
    const pressed = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      const writing = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName)
      if (writing || event.altKey || !(event.ctrlKey || event.metaKey) || !/^[zy]$/.test(key)) return
      event.preventDefault()
      step(key === 'y' || event.shiftKey ? 'redo' : 'undo')
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  })
  if (!allowed || (!known.undo && !known.redo)) return null
  return (
    <span class="edit-steps">
      <button
        type="button"
        disabled={!known.undo || working.value !== ''}
        title="take the last edit back (Ctrl+Z)"
        onClick={() => step('undo')}>
        undo
      </button>
      <button
        type="button"
        disabled={!known.redo || working.value !== ''}
        title="bring it again (Ctrl+Y)"
        onClick={() => step('redo')}>
        redo
      </button>
      {working.value && <span role="status">Working …</span>}
      {error && <Sorry>{error}</Sorry>}
    </span>
  )
}
