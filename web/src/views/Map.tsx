/** The map: every document a point, near the topics that it belongs to. */
import { computed, useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { stableAbout } from '../clear'
import { chosenFocus, focused, toggled, topicColours } from '../colour'
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
  classColours,
  classSizes,
  codesOf,
  NONE,
  paletteOf,
  RAMP,
  shownOf,
  type ColourBy,
} from '../map/colours'
import { formatLasso, parseLasso } from '../map/lasso'
import { layersOf, namesFor, tileOf } from '../map/layers'
import { drawnNames } from '../map/Names'
import type { PlacedName } from '../map/names'
import { drawingOf, pictureOf } from '../map/picture'
import type { Renderer } from '../map/renderer'
import { Selection } from '../map/Selection'
import { Stage } from '../map/Stage'
import type { Points, Topic } from '../payload'
import { href, param, route, setParams } from '../route'
import { head, nameOf, names } from '../store'
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
    ['confidence', 'confidence', head.value!.has.confidence],
    ['membership', 'membership', true],
  ]
  return all.filter(([, , there]) => there).map(([value, text]) => [value, text])
}

/** Where the renderer is, and the map as pictures to save. */
function usePictures(
  camera: Signal<Camera>,
  size: Size,
  lasso: Place[],
  named: PlacedName[],
  coloured: boolean,
) {
  const held = useRef<{ renderer: Renderer | null; canvas: HTMLCanvasElement | null }>({
    renderer: null,
    canvas: null,
  })
  const whole = () => {
    held.current.renderer?.finish()
    return held.current.canvas
  }
  const scene = () => ({
    camera: camera.peek(),
    size,
    lasso,
    names: drawnNames(named, camera.peek(), size),
    coloured,
  })
  return {
    hold(renderer: Renderer | null, canvas: HTMLCanvasElement | null) {
      held.current = { renderer, canvas }
    },
    picture() {
      const canvas = whole()
      return canvas && pictureOf(canvas, scene())
    },
    drawing() {
      const canvas = whole()
      return canvas && drawingOf(canvas, scene())
    },
  }
}

/** Names with their places, anew where one came nearer or went elsewhere. */
function useNames(points: Points, camera: Signal<Camera>, size: Size, only: number[]): PlacedName[] {
  const layers = useMemo(() => layersOf(points), [points])
  const tile = useMemo(() => computed(() => tileOf(camera.value, size)), [size.width, size.height]).value
  return useMemo(
    () => namesFor(layers, camera.peek(), size, only),
    [layers, tile, size.width, size.height, only, names.value],
  )
}

const ABOVE = 200 // pixels: what stands above the map, so that a window shows all of it

/** As high as the window lets it be. */
function heightFor(width: number): number {
  const room = typeof window === 'undefined' ? 800 : window.innerHeight
  return Math.round(Math.max(380, Math.min(room - ABOVE, width * 1.3)))
}

function Shown({ points }: { points: Points }): JSX.Element {
  const [place, width] = useWidth(360)
  const size: Size = { width, height: heightFor(width) }
  const camera = useCamera()
  const drawing = useSignal(false)
  const options = colourings(points)
  const [by, called] = options.find(([value]) => value === param('colour')) ?? options[0]!
  const text = param('lasso')
  const lasso = useMemo(() => parseLasso(text), [text])
  const only = useMemo(() => onlyTopics(param('only')), [param('only')])
  const sizes = useMemo(() => classSizes(points, head.value!.labels?.length ?? 0), [points])
  const classes = chosenFocus(route.value.params.classes, sizes.length)
  const labelled = useMemo(() => classColours(points, sizes, isDark()), [points, sizes, isDark()])
  const colours = by === 'class' ? focused(labelled, classes, isDark()) : topicColours.value
  const codes = useMemo(() => codesOf(points, by), [points, by])
  const palette = useMemo(() => paletteOf(by, colours), [by, colours.join(), isDark()])
  const shown = useMemo(() => shownOf(allTopics().length, only), [only])
  const named = useNames(points, camera, size, only)
  const pictures = usePictures(camera, size, lasso, named, by === 'topic')
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
        {param('help') && <Hints />}
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
            names={named}
            coloured={by === 'topic'}
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
        <Key by={by} sizes={sizes} classes={classes} colours={colours} codes={codes} />
      </Figure>
      {lasso.length > 0 && (
        <Selection points={points} lasso={lasso} only={only} clear={() => setParams({ lasso: '' })} />
      )}
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
          class="map-colour"
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
      <button
        type="button"
        class="map-help"
        aria-label="How to use the map"
        title="How to use the map"
        aria-expanded={!!param('help')}
        onClick={() => setParams({ help: param('help') ? '' : 'on' })}>
        ?
      </button>
    </>
  )
}

interface KeyProps {
  by: ColourBy
  sizes: number[]
  classes: number[]
  colours: string[]
  codes: Uint16Array
}

/** What the colours mean. */
function Key({ by, sizes, classes, colours, codes }: KeyProps): JSX.Element {
  const unknown = useMemo(() => codes.reduce((sum, code) => sum + (code ? 0 : 1), 0), [codes])
  return (
    <>
      {by === 'topic' ? (
        <TopicLegend />
      ) : by === 'class' ? (
        <ClassLegend sizes={sizes} classes={classes} colours={colours} />
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

function ClassLegend({
  sizes,
  classes,
  colours,
}: {
  sizes: number[]
  classes: number[]
  colours: string[]
}): JSX.Element {
  const others = sizes
    .map((_, label) => label)
    .filter((label) => !classes.includes(label))
    .sort((a, b) => sizes[b]! - sizes[a]!)
  const entries = [...classes, ...others].map((label) => ({
    key: label,
    name: head.value!.labels![label]!,
    colour: colours[label]!,
    size: sizes[label]!,
    on: classes.includes(label),
  }))
  return (
    <Legend
      entries={entries}
      what="classes"
      toggle={(label) => setParams({ classes: toggled(classes, label).join(',') })}
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
      <ul>
        <li>
          Every point is a document. It lies near the topic it belongs to, and between topics when it is
          between them; how far groups lie from each other means little. Shades show where many are.
        </li>
        <li>
          Drag to move. Click the map and turn the wheel to come nearer, or hold Ctrl or ⌘; before that the
          wheel scrolls the page. As you come nearer, topics part into their parts and words, and documents
          show their titles.
        </li>
        <li>
          On a touch screen two fingers move the map and come nearer; one scrolls the page, or draws when{' '}
          <em>lasso</em> is on.
        </li>
        <li>Point at a document to read its title, click to open it. A name leads to its topic.</li>
        <li>
          Choose <em>lasso</em>, or hold shift, and draw a line around documents: they are listed below, with
          their topics{head.value!.labels ? ' and classes' : ''}. Escape gives it up.
        </li>
        <li>With the keyboard: arrow keys move the map, + and − come nearer and go farther, 0 shows all.</li>
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
                name: 'stable',
                value: (each: Topic) => each.stability,
                show: (each: Topic) => <Meter share={each.stability} />,
                number: true,
                about: stableAbout(head.value!),
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
