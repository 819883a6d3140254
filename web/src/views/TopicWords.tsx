/** The words of one topic: how much of the topic each is, and how much of all documents. */
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { percent, plain, significant } from '../format'
import type { Topic } from '../payload'
import { wordsOf, type Ranked } from '../relevance'
import { href } from '../route'
import { nameOf } from '../store'
import { Figure } from '../ui/Figure'
import { lambda, Relevance, RelevanceAbout } from '../ui/Keywords'
import { Table } from '../ui/Table'
import { useWidth, Word } from '../ui/small'

const MOST = 25
const ROW = 22

export function TopicWords({ topic }: { topic: Topic }): JSX.Element {
  const words = wordsOf(topic, lambda(), MOST)
  return (
    <Figure
      name="words"
      title="Words"
      controls={<Relevance />}
      twin={() => <WordTable words={words} />}
      about={
        <>
          Coloured: how much of this topic a word is; grey: how much of all documents; at the end how many
          times more it is here. <RelevanceAbout />
        </>
      }>
      <Bars topic={topic.topic} words={words} />
    </Figure>
  )
}

/** Shares of words are small: as many digits as tell them apart. */
const shareText = (share: number): string =>
  percent(share, share >= 0.1 ? 0 : share >= 0.01 ? 1 : share >= 0.001 ? 2 : 3)

const times = ({ share, overall }: Ranked): number | null => (overall ? share / overall : null)
const timesText = (word: Ranked): string => {
  const value = times(word)
  return value === null ? '' : `×${value >= 100 ? Math.round(value) : significant(value)}`
}

function Bars({ topic, words }: { topic: number; words: Ranked[] }): JSX.Element {
  const [place, width] = useWidth(600)
  const left = Math.min(150, width * 0.34)
  const room = Math.max(20, width - left - 108)
  const most = Math.max(...words.map((each) => Math.max(each.share, each.overall ?? 0)), 1e-12)
  return (
    <div ref={place}>
      <svg
        width={width}
        height={words.length * ROW + 6}
        role="group"
        aria-label={`Words of ${plain(nameOf(topic), 80)}`}>
        {words.map((each, i) => (
          <g key={each.word} transform={`translate(0 ${i * ROW})`}>
            <a href={href('word', each.word)}>
              <text x={left - 8} y={ROW / 2 + 4} text-anchor="end">
                {plain(each.word, Math.floor(left / 6.6))}
              </text>
            </a>
            <rect
              x={left}
              y={3}
              width={Math.max(1, (each.share / most) * room)}
              height={9}
              fill={colourOf(topic)}
              rx={1.5}
            />
            {each.overall !== null && (
              <rect
                x={left}
                y={13}
                width={Math.max(0.5, (each.overall / most) * room)}
                height={4}
                class="topic-overall"
                rx={1}
              />
            )}
            <text class="topic-number" x={width - 50} y={ROW / 2 + 4} text-anchor="end">
              {shareText(each.share)}
            </text>
            <text class="topic-number" x={width - 2} y={ROW / 2 + 4} text-anchor="end">
              {timesText(each)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

function WordTable({ words }: { words: Ranked[] }): JSX.Element {
  return (
    <Table
      name="words"
      caption="Words of the topic"
      rows={words}
      id={(each) => each.word}
      columns={[
        { name: 'word', value: (each) => each.word, show: (each) => <Word word={each.word} /> },
        {
          name: 'in this topic',
          number: true,
          value: (each) => each.share,
          show: (each) => shareText(each.share),
          about: 'p(word | topic)',
        },
        {
          name: 'in all documents',
          number: true,
          value: (each) => each.overall,
          show: (each) => (each.overall === null ? '–' : shareText(each.overall)),
          about: 'p(word)',
        },
        {
          name: 'times more here',
          number: true,
          value: (each) => times(each),
          show: (each) => timesText(each) || '–',
        },
      ]}
    />
  )
}
