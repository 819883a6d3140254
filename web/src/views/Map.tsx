/** The map: every document a point, near the topics that it belongs to. */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { focus, toggled } from '../colour'
import { count, counted, decimal, percent, plain } from '../format'
import {
  formatCamera,
  parseCamera,
  toWorld,
  WHOLE,
  zoomAt,
  type Camera,
  type Place,
  type Size,
} from '../map/camera'
import {
  classColour,
  classFocus,
  classSizes,
  codesOf,
  NONE,
  paletteOf,
  RAMP,
  shownOf,
  type ColourBy,
} from '../map/colours'
import { formatLasso, parseLasso } from '../map/lasso'
import { drawingOf, pictureOf } from '../map/picture'
import type { Renderer } from '../map/renderer'
import { Selection } from '../map/Selection'
import { Stage } from '../map/Stage'
import type { Points, Topic } from '../payload'
import { href, param, route, setParams } from '../route'
import { head, nameOf } from '../store'
import { Figure } from '../ui/Figure'
import { Legend, TopicLegend } from '../ui/Legend'
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
        Every point is a document. It lies near the topic it belongs to, and between topics when it is between
        them; how far groups lie from each other means little.
      </p>
      {error ? (
        <Sorry>{error}</Sorry>
      ) : points ? (
        <Shown points={points} />
      ) : (
        <Wait>Reading the points …</Wait>
      )}
    </>
  )
}

const LATER = 250 // milliseconds of rest before the camera is written into the address

/** The camera, as the address has it at first and is told when it rests. */
function useCamera(): Signal<Camera> {
  const camera = useSignal(parseCamera(param('camera')))
  const written = useRef(param('camera'))
  const inAddress = param('camera')
  useEffect(() => {
    // a link to another place of the map
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
  const all: [ColourBy, string, boolean][] = [
    ['topic', 'topic', true],
    ['class', 'known class', !!points.label && !!head.value!.labels],
    ['confidence', 'how sure', head.value!.has.confidence],
    ['membership', 'membership', true],
  ]
  return all.filter(([, , there]) => there).map(([value, text]) => [value, text])
}

/** Where the renderer is, and the map as pictures to save. */
function usePictures(camera: Signal<Camera>, size: Size, lasso: Place[], swatches: boolean) {
  const held = useRef<{ renderer: Renderer | null; canvas: HTMLCanvasElement | null }>({
    renderer: null,
    canvas: null,
  })
  const whole = () => {
    held.current.renderer?.finish()
    return held.current.canvas
  }
  return {
    hold(renderer: Renderer | null, canvas: HTMLCanvasElement | null) {
      held.current = { renderer, canvas }
    },
    picture() {
      const canvas = whole()
      return canvas && pictureOf(canvas, camera.peek(), size, lasso, swatches)
    },
    drawing() {
      const canvas = whole()
      return canvas && drawingOf(canvas, camera.peek(), size, lasso)
    },
  }
}

function Shown({ points }: { points: Points }): JSX.Element {
  const [place, width] = useWidth(360)
  const size: Size = { width, height: Math.round(Math.max(320, Math.min(680, width * 0.86))) }
  const camera = useCamera()
  const drawing = useSignal(false)
  const options = colourings(points)
  const [by, called] = options.find(([value]) => value === param('colour')) ?? options[0]!
  const text = param('lasso')
  const lasso = useMemo(() => parseLasso(text), [text])
  const only = useMemo(() => onlyTopics(param('only')), [param('only')])
  const sizes = useMemo(() => classSizes(points, head.value!.labels?.length ?? 0), [points])
  const classes = classFocus(route.value.params.classes, sizes)
  const codes = useMemo(() => codesOf(points, by), [points, by])
  const palette = useMemo(
    () => paletteOf(by, allTopics().length, sizes.length, classes),
    [by, focus.value.join(), classes.join(), isDark()],
  )
  const shown = useMemo(() => shownOf(allTopics().length, only), [only])
  const pictures = usePictures(camera, size, lasso, by === 'topic')
  const listView = () =>
    setParams({ lasso: formatLasso(corners(size).map((corner) => toWorld(camera.peek(), size, corner))) })
  return (
    <div class="map-layout">
      <Figure
        name="map"
        title={`${counted(points.x.length, 'document')}, coloured by ${called}`}
        twin={() => <Twin />}
        picture={pictures.picture}
        drawing={pictures.drawing}
        controls={
          <Controls
            by={by}
            options={options}
            only={only}
            camera={camera}
            size={size}
            drawing={drawing}
            listView={listView}
          />
        }>
        <div ref={place} class="map-place">
          <Stage
            key={param('draw')}
            points={points}
            size={size}
            camera={camera}
            codes={codes}
            palette={palette}
            shown={shown}
            lasso={lasso}
            swatches={by === 'topic'}
            drawing={drawing.value}
            stopDrawing={() => {
              drawing.value = false
            }}
            onLasso={(polygon) => {
              setParams({ lasso: formatLasso(polygon) })
              drawing.value = false
            }}
            hold={pictures.hold}
            withoutWebgl={param('draw') === 'canvas'}
          />
        </div>
        <Key by={by} sizes={sizes} classes={classes} codes={codes} />
      </Figure>
      <div class="map-beside">
        {lasso.length ? (
          <Selection points={points} lasso={lasso} only={only} clear={() => setParams({ lasso: '' })} />
        ) : (
          <Hints />
        )}
      </div>
    </div>
  )
}

const corners = ({ width, height }: Size): Place[] => [
  [0, 0],
  [width, 0],
  [width, height],
  [0, height],
]

/** Topics of the address, −1 for none; an empty list: all. */
const onlyTopics = (text: string): number[] =>
  /^(-1|\d+)(,\d+)*$/.test(text)
    ? text
        .split(',')
        .map(Number)
        .filter((topic) => topic < allTopics().length)
    : []

interface ControlsProps {
  by: ColourBy
  options: [ColourBy, string][]
  only: number[]
  camera: Signal<Camera>
  size: Size
  drawing: Signal<boolean>
  listView(): void
}

function Controls({ by, options, only, camera, size, drawing, listView }: ControlsProps): JSX.Element {
  const zoom = (factor: number) => () => {
    camera.value = zoomAt(camera.peek(), size, [size.width / 2, size.height / 2], factor)
  }
  const topics = [...allTopics()].sort((a, b) => b.size - a.size)
  return (
    <>
      <fieldset aria-label="Near and far">
        <button type="button" onClick={zoom(1.6)} aria-label="Nearer" title="Nearer">
          +
        </button>
        <button type="button" onClick={zoom(1 / 1.6)} aria-label="Farther" title="Farther">
          −
        </button>
        <button
          type="button"
          onClick={() => {
            camera.value = WHOLE
          }}>
          all
        </button>
      </fieldset>
      <button
        type="button"
        aria-pressed={drawing.value}
        onClick={() => {
          drawing.value = !drawing.value
        }}
        title="Draw a line around documents to list them">
        lasso
      </button>
      <button type="button" onClick={listView} title="List the documents that the map shows now">
        list what is seen
      </button>
      <label>
        colour{' '}
        <select
          value={by}
          onChange={(event) =>
            setParams({ colour: event.currentTarget.value === 'topic' ? '' : event.currentTarget.value })
          }>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        show{' '}
        <select
          class="map-only"
          value={only.length ? only.join() : ''}
          onChange={(event) => setParams({ only: event.currentTarget.value })}>
          <option value="">all topics</option>
          {only.length > 1 && <option value={only.join()}>{only.length} topics</option>}
          {topics.map((each) => (
            <option key={each.topic} value={each.topic}>
              {plain(nameOf(each.topic), 50)}
            </option>
          ))}
          {head.value!.unassigned > 0 && <option value="-1">no topic</option>}
        </select>
      </label>
    </>
  )
}

interface KeyProps {
  by: ColourBy
  sizes: number[]
  classes: number[]
  codes: Uint16Array
}

/** What the colours mean. */
function Key({ by, sizes, classes, codes }: KeyProps): JSX.Element {
  const unknown = useMemo(() => codes.reduce((sum, code) => sum + (code ? 0 : 1), 0), [codes])
  return (
    <>
      {by === 'topic' ? (
        <TopicLegend />
      ) : by === 'class' ? (
        <ClassLegend sizes={sizes} classes={classes} />
      ) : (
        <Ramp by={by} />
      )}
      {unknown > 0 && (
        <p class="map-none">
          <span class="swatch" style={{ background: NONE }} aria-hidden="true" />
          {by === 'topic' ? (
            <a href={href('topic', 'none')}>no topic</a>
          ) : by === 'class' ? (
            'no class'
          ) : by === 'membership' ? (
            'no topic'
          ) : (
            'not known'
          )}{' '}
          {count(unknown)}
        </p>
      )}
    </>
  )
}

function ClassLegend({ sizes, classes }: { sizes: number[]; classes: number[] }): JSX.Element {
  const others = sizes
    .map((_, label) => label)
    .filter((label) => !classes.includes(label))
    .sort((a, b) => sizes[b]! - sizes[a]!)
  const entries = [...classes, ...others].map((label) => ({
    key: label,
    name: head.value!.labels![label]!,
    colour: classColour(label, classes),
    size: sizes[label]!,
    on: classes.includes(label),
  }))
  return (
    <Legend
      entries={entries}
      what="classes"
      toggle={(label) => setParams({ classes: toggled(classes, label).join(',') || '-' })}
    />
  )
}

function Ramp({ by }: { by: ColourBy }): JSX.Element {
  const [low, high] =
    by === 'confidence'
      ? ['few runs put it here', 'all runs do']
      : ['hardly in its topic', 'in its topic alone']
  const bar = { background: `linear-gradient(to right, ${RAMP.join(', ')})` }
  return (
    <p class="map-ramp">
      <span>{low}</span>
      <span class="map-ramp-bar" style={bar} aria-hidden="true" />
      <span>{high}</span>
    </p>
  )
}

function Hints(): JSX.Element {
  return (
    <section class="map-hints" aria-label="How to use the map">
      <h2>Look around</h2>
      <ul>
        <li>
          Drag to move. Click the map and turn the wheel to come nearer, or hold Ctrl or ⌘; before that the
          wheel scrolls the page. More names appear as you come nearer.
        </li>
        <li>
          On a touch screen two fingers move the map and come nearer; one scrolls the page, or draws when{' '}
          <em>lasso</em> is on.
        </li>
        <li>Point at a document to read its title, click to open it. A name leads to its topic.</li>
        <li>
          Choose <em>lasso</em>, or hold shift, and draw a line around documents: they are listed here, with
          their topics{head.value!.labels ? ' and classes' : ''}. Escape gives it up.
        </li>
      </ul>
    </section>
  )
}

function Twin(): JSX.Element {
  const known = head.value!.has.confidence
  return (
    <Table<Topic>
      name="map-table"
      caption="Topics on the map"
      rows={allTopics()}
      id={(each) => each.topic}
      sort="-documents"
      columns={[
        {
          name: 'topic',
          value: (each) => nameOf(each.topic),
          show: (each) => <TopicLink topic={each.topic} />,
        },
        { name: 'documents', value: (each) => each.size, show: (each) => count(each.size), number: true },
        { name: 'share', value: (each) => each.share, show: (each) => percent(each.share), number: true },
        {
          name: 'membership',
          value: (each) => each.membership,
          show: (each) => <Meter share={each.membership} text={decimal(each.membership)} />,
          number: true,
          about: 'mean over its documents: the share of each that its topic explains',
        },
        ...(known
          ? [
              {
                name: 'how sure',
                value: (each: Topic) => each.confidence,
                show: (each: Topic) => <Meter share={each.confidence} />,
                number: true,
                about: 'mean over its documents: the share of the runs that put it here',
              },
            ]
          : []),
        {
          name: 'from the left',
          value: (each) => each.x,
          show: (each) => decimal(each.x),
          number: true,
          about: 'where its name stands, from 0 to 1',
        },
        { name: 'from the top', value: (each) => each.y, show: (each) => decimal(each.y), number: true },
      ]}
    />
  )
}
