/** Topics by size, as a chart to take along. */
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { count, percent, plain } from '../format'
import type { Topic } from '../payload'
import { wordsOf } from '../relevance'
import { href } from '../route'
import { nameOf } from '../store'
import { Figure } from '../ui/Figure'
import { lambda } from '../ui/Keywords'
import { Table } from '../ui/Table'
import { TopicLink, useWidth } from '../ui/small'

const ROW = 30
const LETTER = 6.4 // a letter of the labels, about, in pixels
const BOLD = 7.6

export function Sizes({ topics }: { topics: Topic[] }): JSX.Element {
  return (
    <Figure
      name="sizes"
      title="Sizes of the topics"
      about="A bar is as long as the number of its documents; beside it the words of the topic."
      twin={() => <SizesTable topics={topics} />}>
      <Bars topics={topics} />
    </Figure>
  )
}

function Bars({ topics }: { topics: Topic[] }): JSX.Element {
  const [place, width] = useWidth(900)
  const most = Math.max(1, ...topics.map((each) => each.size))
  const left = Math.min(230, width * 0.34)
  const room = width < 560 ? width - left - 60 : (width - left) * 0.36
  return (
    <div ref={place}>
      <svg width={width} height={topics.length * ROW + 4} role="group" aria-label="Topics by size">
        {topics.map((each, i) => {
          const name = plain(nameOf(each.topic), Math.floor((left - 8) / BOLD))
          const long = Math.max(1, (each.size / most) * room)
          const words = wordsOf(each, lambda(), 10)
            .map(({ word }) => plain(word, 30))
            .join(', ')
          const from = left + room + 62
          return (
            <g key={each.topic} transform={`translate(0 ${i * ROW})`}>
              <a href={href('topic', each.topic)}>
                <text x={left - 8} y={ROW / 2 + 4} text-anchor="end" font-weight="600">
                  {name}
                </text>
              </a>
              <rect x={left} y={5} width={long} height={ROW - 10} fill={colourOf(each.topic)} rx={2} />
              <text x={left + long + 6} y={ROW / 2 + 4}>
                {count(each.size)}
              </text>
              {width >= 560 && (
                <text class="topics-words" x={from} y={ROW / 2 + 4}>
                  {plain(words, Math.floor((width - from) / LETTER))}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function SizesTable({ topics }: { topics: Topic[] }): JSX.Element {
  return (
    <Table
      name="sizes"
      caption="Topics by size"
      rows={topics}
      id={(each) => each.topic}
      page={100}
      columns={[
        {
          name: 'name',
          value: (each) => nameOf(each.topic),
          show: (each) => <TopicLink topic={each.topic} />,
        },
        { name: 'documents', number: true, value: (each) => each.size, show: (each) => count(each.size) },
        { name: 'share', number: true, value: (each) => each.share, show: (each) => percent(each.share) },
        {
          name: 'words',
          wide: true,
          value: (each) =>
            wordsOf(each, lambda(), 10)
              .map(({ word }) => word)
              .join(', '),
        },
      ]}
    />
  )
}
