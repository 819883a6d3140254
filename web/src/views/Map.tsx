/** The map: every document a point, near the topics that it belongs to. */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { focus, toggleFocus } from '../colour'
import { count, counted, decimal, percent, plain } from '../format'
import { formatCamera, parseCamera, toWorld, WHOLE, zoomAt, type Camera, type Size } from '../map/camera'
import { classColour, classFocus, classSizes, codesOf, paletteOf, RAMP, shownOf, type ColourBy } from '../map/colours'
import { formatLasso, parseLasso } from '../map/lasso'
import { drawingOf, pictureOf } from '../map/picture'
import type { Renderer } from '../map/renderer'
import { Selection } from '../map/Selection'
import { Stage } from '../map/Stage'
import type { Points, Topic } from '../payload'
import { param, route, setParams } from '../route'
import { head, nameOf } from '../store'
import { Figure } from '../ui/Figure'
import { Legend, topicEntries } from '../ui/Legend'
import { isDark } from '../ui/scheme'
import { Meter, Sorry, TopicLink, Wait, allTopics, usePoints, useWidth } from '../ui/small'
import { Table } from '../ui/Table'
import './Map.css'

export function MapView(): JSX.Element {
  const { value: points, error } = usePoints()
  return (
    <>
      <h1>Map of the documents</h1>
      <p class="lede">
        Every point is a document. It lies near the topic it belongs to, and between topics when it is between them; how far
        groups lie from each other means little.
      </p>
      {error ? <Sorry>{error}</Sorry> : points ? <Shown points={points} /> : <Wait>Reading the points …</Wait>}
    </>
  )
}

const LATER = 250 // milliseconds of rest before the camera is written into the address

/** The camera, as the address has it at first and is told when it rests. */
function useCamera(): Signal<Camera> {
  const camera = useSignal(parseCamera(param('camera')))
  const written = useRef(param('camera'))
  const inAddress = param('camera')
  useEffect(() => { // a link to another place of the map
    if (inAddress === written.current) return
    written.current = inAddress
    camera.value = parseCamera(inAddress)
  }, [inAddress])
  useEffect(() => {
    const timer = setTimeout(() => {
      const text = formatCamera(camera.peek())
      if (text === param('camera')) return
      written.current = text
      setParams({ camera: text })
    }, LATER)
    return () => clearTimeout(timer)
  }, [camera.value])
  return camera
}

function colourings(points: Points): [ColourBy, string][] {
  const all: [ColourBy, string, boolean][] = [['topic', 'topic', true], ['class', 'known class', !!points.label && !!head.value!.labels],
    ['confidence', 'how sure', head.value!.has.confidence], ['membership', 'membership', true]]
  return all.filter(([, , there]) => there).map(([value, text]) => [value, text])
}

function Shown({ points }: { points: Points }): JSX.Element {
  const [place, width] = useWidth(360)
  const size: Size = { width, height: Math.round(Math.max(320, Math.min(680, width * 0.86))) }
  const camera = useCamera()
  const drawing = useSignal(false)
  const options = colourings(points)
  const by = options.find(([value]) => value === param('colour'))?.[0] ?? 'topic'
  const text = param('lasso')
  const lasso = useMemo(() => parseLasso(text), [text])
  const only = useMemo(() => onlyTopics(param('only')), [param('only')])
  const sizes = useMemo(() => classSizes(points, head.value!.labels?.length ?? 0), [points])
  const classes = classFocus(route.value.params.classes, sizes)
  const held = useRef<{ renderer: Renderer | null; canvas: HTMLCanvasElement | null }>({ renderer: null, canvas: null })
  const codes = useMemo(() => codesOf(points, by), [points, by])
  const palette = useMemo(() => paletteOf(by, allTopics().length, sizes.length, classes), [by, focus.value.join(), classes.join(), isDark()])
  const shown = useMemo(() => shownOf(allTopics().length, only), [only])
  const picture = () => {
    held.current.renderer?.finish()
    return held.current.canvas && pictureOf(held.current.canvas, camera.peek(), size, lasso, by === 'topic')
  }
  const drawn = () => {
    held.current.renderer?.finish()
    return held.current.canvas && drawingOf(held.current.canvas, camera.peek(), size, lasso)
  }
  const listView = () => setParams({ lasso: formatLasso([[0, 0], [width, 0], [width, size.height], [0, size.height]].map(([x, y]) => toWorld(camera.peek(), size, [x!, y!]))) })
  return (
    <div class="map-layout">
      <Figure name="map" title={`${counted(points.x.length, 'document')}, coloured by ${options.find(([value]) => value === by)![1]}`} twin={() => <Twin />} picture={picture} drawing={drawn}
        controls={<Controls by={by} options={options} only={only} camera={camera} size={size} drawing={drawing} listView={listView} />}>
        <div ref={place} class="map-place">
          <Stage key={param('draw')} points={points} size={size} camera={camera} codes={codes} palette={palette} shown={shown} drawing={drawing.value} lasso={lasso} swatches={by === 'topic'}
            onLasso={(polygon) => { setParams({ lasso: formatLasso(polygon) }); drawing.value = false }}
            hold={(renderer, canvas) => { held.current = { renderer, canvas } }} withoutWebgl={param('draw') === 'canvas'} />
        </div>
        <Key by={by} sizes={sizes} classes={classes} />
      </Figure>
      <div class="map-beside">
        {lasso.length
          ? <Selection points={points} lasso={lasso} only={only} clear={() => setParams({ lasso: '' })} />
          : <Hints />}
      </div>
    </div>
  )
}

const onlyTopics = (text: string): number[] => (/^\d+(,\d+)*$/.test(text) ? text.split(',').map(Number).filter((topic) => topic < allTopics().length) : [])

interface ControlsProps { by: ColourBy; options: [ColourBy, string][]; only: number[]; camera: Signal<Camera>; size: Size; drawing: Signal<boolean>; listView(): void }

function Controls({ by, options, only, camera, size, drawing, listView }: ControlsProps): JSX.Element {
  const zoom = (factor: number) => () => { camera.value = zoomAt(camera.peek(), size, [size.width / 2, size.height / 2], factor) }
  const topics = [...allTopics()].sort((a, b) => b.size - a.size)
  return (
    <>
      <fieldset aria-label="Near and far">
        <button type="button" onClick={zoom(1.6)} aria-label="Nearer" title="Nearer">+</button>
        <button type="button" onClick={zoom(1 / 1.6)} aria-label="Farther" title="Farther">−</button>
        <button type="button" onClick={() => { camera.value = WHOLE }}>all</button>
      </fieldset>
      <button type="button" aria-pressed={drawing.value} onClick={() => { drawing.value = !drawing.value }} title="Draw a line around documents to list them">lasso</button>
      <button type="button" onClick={listView} title="List the documents that the map shows now">list what is seen</button>
      <label>colour{' '}
        <select value={by} onChange={(event) => setParams({ colour: event.currentTarget.value === 'topic' ? '' : event.currentTarget.value })}>
          {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
      </label>
      <label>show{' '}
        <select class="map-only" value={only.length ? only.join() : ''} onChange={(event) => setParams({ only: event.currentTarget.value })}>
          <option value="">all topics</option>
          {only.length > 1 && <option value={only.join()}>{only.length} topics</option>}
          {topics.map((each) => <option key={each.topic} value={each.topic}>{plain(nameOf(each.topic), 50)}</option>)}
        </select>
      </label>
    </>
  )
}

/** What the colours mean. */
function Key({ by, sizes, classes }: { by: ColourBy; sizes: number[]; classes: number[] }): JSX.Element {
  if (by === 'topic') return <Legend entries={topicEntries()} toggle={toggleFocus} />
  if (by === 'class') {
    const order = [...classes, ...sizes.map((_, label) => label).filter((label) => !classes.includes(label)).sort((a, b) => sizes[b]! - sizes[a]!)]
    const toggle = (label: number) => {
      const next = classes.includes(label) ? classes.filter((each) => each !== label) : [...classes.slice(classes.length < 8 ? 0 : 1), label]
      setParams({ classes: next.length ? next.join(',') : '-' })
    }
    const entries = order.map((label) => ({ key: label, name: head.value!.labels![label]!, colour: classColour(label, classes), size: sizes[label]!, on: classes.includes(label) }))
    return <Legend entries={entries} toggle={toggle} what="classes" />
  }
  const [low, high] = by === 'confidence' ? ['few runs put it here', 'all runs do'] : ['hardly in its topic', 'in its topic alone']
  return <p class="map-ramp"><span>{low}</span><span class="map-ramp-bar" style={{ background: `linear-gradient(to right, ${RAMP.join(', ')})` }} aria-hidden="true" /><span>{high}</span></p>
}

function Hints(): JSX.Element {
  return (
    <section class="map-hints" aria-label="How to use the map">
      <h2>Look around</h2>
      <ul>
        <li>Turn the wheel, or pinch, to come nearer; drag to move. More names appear as you come nearer.</li>
        <li>Point at a document to read its title, click to open it. A name leads to its topic.</li>
        <li>Choose <em>lasso</em>, or hold shift, and draw a line around documents: they are listed here, with their topics{head.value!.labels ? ' and classes' : ''}.</li>
      </ul>
    </section>
  )
}

function Twin(): JSX.Element {
  const known = head.value!.has.confidence
  return (
    <Table<Topic> name="map-table" caption="Topics on the map" rows={allTopics()} id={(each) => each.topic} sort="-documents" columns={[
      { name: 'topic', value: (each) => nameOf(each.topic), show: (each) => <TopicLink topic={each.topic} /> },
      { name: 'documents', value: (each) => each.size, show: (each) => count(each.size), number: true },
      { name: 'share', value: (each) => each.share, show: (each) => percent(each.share), number: true },
      { name: 'membership', value: (each) => each.membership, show: (each) => <Meter share={each.membership} text={decimal(each.membership)} />, number: true, about: 'mean over its documents: the share of each that its topic explains' },
      ...(known ? [{ name: 'how sure', value: (each: Topic) => each.confidence, show: (each: Topic) => <Meter share={each.confidence} />, number: true, about: 'mean over its documents: the share of the runs that put it here' }] : []),
      { name: 'from the left', value: (each) => each.x, show: (each) => decimal(each.x), number: true, about: 'where its name stands, from 0 to 1' },
      { name: 'from the top', value: (each) => each.y, show: (each) => decimal(each.y), number: true },
    ]} />
  )
}
