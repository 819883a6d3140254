/** The tree of topics: an icicle to zoom into, and the documents of any node of it. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inkAndPaper, topicColours } from '../colour'
import { count, counted, firstOf, percent, plain } from '../format'
import type { TreeNode } from '../payload'
import { go, href, param, route, setParams } from '../route'
import { filter, head, nameOf } from '../store'
import { childrenOf, keyTo, layout, leavesOf, nodeColours, pathTo, rowsIn, sizesIn, type Box } from '../tree'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { Table, type ColumnOf } from '../ui/Table'
import { Sorry, TopicLink, usePoints, useWidth, Wait, Word } from '../ui/small'
import './Tree.css'

const HEIGHT = 460
/** Pixels: of a column at least, of a line of text, of a letter on average. */
const COLUMN = 150
const LINE = 17
const LETTER = 6.6

export function TreeView(): JSX.Element {
  const { nodes } = head.value!.tree!
  const asked = route.value.of ?? '0'
  const root = /^\d+$/.test(asked) ? Number(asked) : -1
  if (!nodes[root])
    return (
      <>
        <h1>Tree</h1>
        <Sorry>
          There is no such node: <a href={href('tree')}>see the whole tree</a>.
        </Sorry>
      </>
    )
  return <Shown nodes={nodes} root={root} />
}

function Shown({ nodes, root }: { nodes: TreeNode[]; root: number }): JSX.Element {
  const { value: points } = usePoints()
  const topics = head.value!.topics.length
  const most = leavesOf(nodes)
  const k = Math.min(most, Math.max(1, Math.round(Number(param('upto')) || most)))
  const children = useMemo(() => childrenOf(nodes, k), [nodes, k])
  const sizes = useMemo(
    () => (filter.value && points ? sizesIn(nodes, points, topics) : nodes.map(({ size }) => size)),
    [nodes, points, topics, filter.value],
  )
  const aside = nodes.reduce((sum, each) => sum + each.aside, 0)
  return (
    <>
      <h1>Tree of topics</h1>
      <p class="lede">
        The {counted(topics, 'topic')} of the run, what they join to, and what they part into: {count(most)}{' '}
        leaves.
        {aside > 0 &&
          ` ${counted(aside, 'document')} ${aside === 1 ? 'was' : 'were'} set aside, in tiny groups unlike the rest of their node.`}
      </p>
      {root > 0 && <Path nodes={nodes} node={root} />}
      <Figure
        name="tree"
        title={root === 0 ? 'All documents' : labelOf(nodes, root)}
        about="A box is a node, as high as it has documents; to its right is what it parts into. A click, or Enter, opens one; the box on the left leads back. Arrow keys move."
        controls={
          <label class="tree-upto">
            up to{' '}
            <input
              type="range"
              min={1}
              max={most}
              value={k}
              aria-valuetext={counted(k, 'topic')}
              onInput={(event) =>
                setParams({
                  upto: Number(event.currentTarget.value) === most ? '' : event.currentTarget.value,
                })
              }
            />{' '}
            {counted(k, 'topic')}
          </label>
        }
        twin={() => <AsTable nodes={nodes} sizes={sizes} />}>
        <Icicle nodes={nodes} sizes={sizes} children={children} root={root} />
      </Figure>
      <Own nodes={nodes} sizes={sizes} node={root} />
    </>
  )
}

/** What a node is called: the name of its topic, or the words that tell it from its sibling. */
function labelOf(nodes: TreeNode[], number: number, words = 4): string {
  const { topic, keywords, parent } = nodes[number]!
  if (topic !== null) return plain(nameOf(topic), 120)
  return parent === null
    ? 'All documents'
    : plain(keywords.slice(0, words).join(', '), 120) || `node ${number}`
}

function Path({ nodes, node }: { nodes: TreeNode[]; node: number }): JSX.Element {
  const path = pathTo(nodes, node)
  return (
    <nav class="tree-path" aria-label="Nodes above">
      {path.map((each, place) => (
        <span key={each}>
          {place > 0 && <span aria-hidden="true"> › </span>}
          {each === node ? (
            <b aria-current="location">{labelOf(nodes, each, 2)}</b>
          ) : (
            <a href={href('tree', each)}>{labelOf(nodes, each, 2)}</a>
          )}
        </span>
      ))}
    </nav>
  )
}

interface IcicleProps {
  nodes: TreeNode[]
  sizes: number[]
  children: number[][]
  root: number
}

function Icicle({ nodes, sizes, children, root }: IcicleProps): JSX.Element {
  const [measured, width] = useWidth()
  const levels = Math.max(3, Math.min(6, Math.floor(width / COLUMN)))
  const boxes = useMemo(() => layout(sizes, children, root, levels), [sizes, children, root, levels])
  const [at, setAt] = useState(root)
  useEffect(() => setAt(root), [root])
  const cursor = boxes.some(({ node }) => node === at) ? at : root
  const open = (node: number) => {
    const above = nodes[root]!.parent
    if (node === root ? above !== null : true) go(href('tree', node === root ? above : node, kept()))
  }
  const [ink, paper] = inkAndPaper()
  const colours = useMemo(
    () => nodeColours(nodes, topicColours.value, paper, ink),
    [nodes, topicColours.value, paper, ink],
  )
  const column = width / Math.max(...boxes.map(({ level }) => level + 1))
  return (
    <div
      ref={measured}
      class="icicle"
      role="tree"
      tabIndex={0}
      aria-label="Tree of topics"
      aria-activedescendant={`node-${cursor}`}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') open(cursor)
        else if (event.key === 'Escape' || event.key === 'Backspace') open(root)
        else if (/^(Arrow|Home$|End$)/.test(event.key))
          setAt(keyTo(boxes, children, nodes, cursor, event.key))
        else return
        event.preventDefault()
      }}>
      <svg role="none" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
        {boxes.map((box) => (
          <Part
            key={box.node}
            box={box}
            nodes={nodes}
            size={sizes[box.node]!}
            colour={colours[box.node]!}
            column={column}
            inner={children[box.node]!.length > 0}
            active={box.node === cursor}
            open={() => open(box.node)}
          />
        ))}
      </svg>
    </div>
  )
}

/** What stays in the address from node to node. */
const kept = (): Record<string, string> => ({ upto: param('upto'), 'tree.as': param('tree.as') })

interface PartProps {
  box: Box
  nodes: TreeNode[]
  size: number
  colour: string
  column: number
  inner: boolean
  active: boolean
  open(): void
}

function Part({ box, nodes, size, colour, column, inner, active, open }: PartProps): JSX.Element | null {
  const [x, y] = [box.level * column, box.from * HEIGHT]
  const [width, height] = [column - 2, Math.max(0, (box.to - box.from) * HEIGHT - 1)]
  if (height <= 0) return null
  const letters = Math.floor((width - 14) / LETTER)
  const label = labelOf(nodes, box.node, 8)
  const line = height >= LINE ? shortened(label, letters) : label
  // what is seen comes first, so that who speaks to the page can say it
  const said = `${line} ${counted(size, 'document')}${line === label ? '' : `: ${label}`}`
  return (
    <g
      role="treeitem"
      id={`node-${box.node}`}
      aria-level={box.level + 1}
      aria-expanded={inner ? true : undefined}
      aria-selected={active}
      aria-label={said}
      class={active ? 'tree-part active' : 'tree-part'}
      onClick={open}>
      <title>{said}</title>
      <rect
        class="ground"
        x={x}
        y={y}
        width={width}
        height={height}
        style={{ fill: colour }}
        fill-opacity={0.22}
      />
      <rect x={x} y={y} width={4} height={height} style={{ fill: colour }} />
      {height >= LINE && (
        <text x={x + 9} y={y + Math.min(LINE - 4, height / 2 + 5)} aria-hidden="true">
          {`${line} `}
        </text>
      )}
      {height >= 2 * LINE && (
        <text class="soft" x={x + 9} y={y + 2 * LINE - 4} aria-hidden="true">
          {count(size)}
        </text>
      )}
    </g>
  )
}

const shortened = (text: string, letters: number): string =>
  text.length <= letters ? text : `${firstOf(text, Math.max(1, letters - 1)).trimEnd()}…`

/** What is known of a node, and its documents. */
function Own({ nodes, sizes, node }: { nodes: TreeNode[]; sizes: number[]; node: number }): JSX.Element {
  const { value: points, error } = usePoints()
  const { keywords, topic, aside, whole, parent } = nodes[node]!
  const topics = head.value!.topics.length
  const rows = useMemo(
    () => (points ? rowsIn(nodes, points, node, topics) : new Uint32Array()),
    [nodes, points, node, topics],
  )
  return (
    <section class="tree-node" aria-labelledby="tree-node">
      <h2 id="tree-node">Documents</h2>
      <p>
        {counted(sizes[node]!, 'document')}, {percent(sizes[node]! / Math.max(1, sizes[0]!))} of those with a
        topic
        {topic !== null && (
          <>
            ; it is the run’s topic <TopicLink topic={topic} />
          </>
        )}
        .
        {aside > 0 &&
          ` ${counted(aside, 'document')} of it ${aside === 1 ? 'is' : 'are'} in none of its parts.`}
        {whole && ' No more is seen below it than chance would have.'}
      </p>
      {parent !== null && keywords.length > 0 && (
        <p>
          What tells it from its sibling:{' '}
          {keywords.map((word, place) => (
            <span key={word}>
              {place > 0 && ', '}
              <Word word={word} />
            </span>
          ))}
        </p>
      )}
      {error ? (
        <Sorry>{error}</Sorry>
      ) : points ? (
        <Documents
          name="documents"
          caption={`Documents of ${labelOf(nodes, node)}`}
          points={points}
          rows={rows}
          topics={topic === null}
        />
      ) : (
        <Wait />
      )}
    </section>
  )
}

interface TableRow extends TreeNode {
  number: number
  now: number
}

function AsTable({ nodes, sizes }: { nodes: TreeNode[]; sizes: number[] }): JSX.Element {
  const rows = nodes.map((node, number): TableRow => ({ ...node, number, now: sizes[number]! }))
  const columns: ColumnOf<TableRow>[] = [
    {
      name: 'Node',
      number: true,
      value: (row) => row.number,
      show: (row) => <a href={href('tree', row.number, kept())}>{row.number}</a>,
    },
    { name: 'Above', number: true, value: (row) => row.parent },
    { name: 'Documents', number: true, value: (row) => row.now, show: (row) => count(row.now) },
    { name: 'Words', value: (row) => plain(row.keywords.join(', '), 200) },
    {
      name: 'Topic',
      value: (row) => (row.topic === null ? null : nameOf(row.topic)),
      show: (row) => row.topic !== null && <TopicLink topic={row.topic} />,
    },
    {
      name: 'Parts at',
      number: true,
      about: 'the number of topics from which on it is parted',
      value: (row) => row.parts_at,
    },
    { name: 'Set aside', number: true, value: (row) => row.aside },
  ]
  return (
    <Table
      name="tree-nodes"
      caption="Nodes of the tree"
      rows={rows}
      id={(row) => row.number}
      columns={columns}
      page={50}
    />
  )
}
