/** Words of a topic as bars, the slider that says which words, and the name that people give it. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { colourOf, focus, toggleFocus } from '../colour'
import { percent, plain } from '../format'
import { readLambda, type Ranked } from '../relevance'
import { href, param, setParams } from '../route'
import { head, nameOf, rename, topicOf } from '../store'
import { Sorry } from './small'
import './Keywords.css'

/** Each word on a bar as long as its share of the topic, beside that of the topic's most frequent word shown. */
export function Keywords({ topic, words }: { topic: number; words: Ranked[] }): JSX.Element {
  const most = Math.max(0, ...words.map((each) => each.share)) || 1
  return (
    <ul class="keywords">
      {words.map(({ word, share }) => (
        <li key={word}>
          <a
            href={href('word', word)}
            title={`“${plain(word, 60)}”: ${percent(share)} of this topic's words`}>
            <span
              class="keyword-bar"
              style={{ width: `${(100 * share) / most}%`, background: colourOf(topic) }}
              aria-hidden="true"
            />
            <span class="keyword-word">{plain(word, 40)}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** λ in the address; null: the keywords that the run chose. */
export const lambda = (): number | null => readLambda(param('lam'))

const OWN = 'Quire’s choice' // the keywords that the run has

/** Which words are shown: the run's own, or by relevance. */
export function Relevance(): JSX.Element {
  const lam = lambda()
  return (
    <fieldset class="relevance">
      <legend class="unseen">Which words are shown</legend>
      <label for="relevance-slider">words</label>
      <output for="relevance-slider" class={`relevance-value${lam === null ? ' idle' : ''}`}>
        {lam === null ? OWN : `λ = ${lam.toFixed(2)}`}
      </output>
      <span class="relevance-end" aria-hidden="true">
        only here
      </span>
      <input
        id="relevance-slider"
        type="range"
        min="0"
        max="1"
        step="0.05"
        value={lam ?? 0.6}
        class={lam === null ? 'idle' : ''}
        aria-valuetext={lam === null ? OWN : `λ ${lam.toFixed(2)}`}
        title="left: words that only this topic uses; right: its most frequent words"
        onInput={(event) => setParams({ lam: event.currentTarget.value })}
      />
      <span class="relevance-end" aria-hidden="true">
        most frequent
      </span>
      {lam !== null && (
        <button type="button" onClick={() => setParams({ lam: '' })}>
          back to {OWN}
        </button>
      )}
    </fieldset>
  )
}

/** What the slider does, in a sentence. */
export function RelevanceAbout(): JSX.Element {
  return (
    <>
      Move the slider to rank words anew: to the left come words that only this topic uses, to the right its
      most frequent words
      {lambda() !== null && (
        <> (λ·log p(word | topic) + (1 − λ)·log p(word | topic) / p(word), after Sievert and Shirley 2014)</>
      )}
      .
    </>
  )
}

/** The colour of a topic, as a button that takes it into focus or out of it. */
export function FocusSwatch({ topic }: { topic: number }): JSX.Element {
  const on = focus.value.includes(topic)
  const name = plain(nameOf(topic), 60)
  return (
    <button
      type="button"
      class="focus-swatch"
      aria-pressed={on}
      aria-label={`Bring out ${name}`}
      onClick={() => toggleFocus(topic)}
      title={
        on
          ? 'brought out in all charts: click to let the others come back'
          : 'click to bring it out in all charts: the others fade'
      }>
      <span style={{ background: colourOf(topic), borderColor: colourOf(topic) }} aria-hidden="true" />
    </button>
  )
}

/** A pencil that becomes an input: Enter keeps the new name, Escape leaves; nothing written gives its own name back. */
export function Rename({ topic }: { topic: number }): JSX.Element {
  const [open, setOpen] = useState(false)
  const [error, setError] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const pencil = useRef<HTMLButtonElement>(null)
  const was = useRef(false)
  useLayoutEffect(() => {
    if (open) input.current?.select()
    else if (was.current) pencil.current?.focus()
    was.current = open
  }, [open])
  const name = plain(nameOf(topic), 200)
  const kept = head.value?.has.rename
    ? 'rename: kept in the run'
    : 'rename: kept in this browser, in the address, and in what you take along'
  if (!open) {
    return (
      <button
        ref={pencil}
        type="button"
        class="pencil"
        onClick={() => setOpen(true)}
        aria-label={`Rename ${plain(name, 60)}`}
        title={kept}>
        ✎
      </button>
    )
  }
  const keep = async () => {
    try {
      await rename(topic, input.current?.value ?? '')
      setError('')
      setOpen(false)
    } catch (reason) {
      setError((reason as Error).message)
    }
  }
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault()
        void keep()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          setError('')
          setOpen(false)
        }
      }}>
      <input
        ref={input}
        type="text"
        defaultValue={name}
        maxLength={200}
        aria-label="New name of the topic"
        placeholder={plain(topicOf(topic)?.name ?? '', 60)}
      />
      <button type="submit">keep</button>
      <button
        type="button"
        onClick={() => {
          setError('')
          setOpen(false)
        }}>
        leave
      </button>
      {error && <Sorry>{error}</Sorry>}
    </form>
  )
}
