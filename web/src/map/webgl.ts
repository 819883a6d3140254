/**
 * Draws the points with WebGL 2: one call for all of them, from arrays that go to the graphics card once.
 *
 * It is our own because the page's Content-Security-Policy forbids code made from strings, which libraries such as regl need.
 * Points carry a topic and a code; what colour a code has, and which topics are shown, lies in two small textures, so that
 * other colours cost nothing.
 */
import type { Painter, PainterView } from './renderer'

const VERTEX = `#version 300 es
layout(location=0) in vec2 place;
layout(location=1) in uint topic;
layout(location=2) in uint code;
uniform vec4 view;
uniform float size;
uniform float alpha;
uniform sampler2D palette;
uniform sampler2D shown;
uniform vec4 hidden;
flat out vec4 colour;
ivec2 at(uint i) { return ivec2(int(i & 255u), int(i >> 8)); }
void main() {
  gl_Position = vec4(place * view.xy + view.zw, 0.0, 1.0);
  vec4 own = texelFetch(palette, at(code), 0);
  bool grey = texelFetch(shown, at(topic), 0).r < 0.5;
  colour = grey ? hidden : vec4(own.rgb, own.a * alpha);
  gl_PointSize = grey ? max(1.0, size * 0.7) : size;
}`

const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 colour;
uniform float size;
out vec4 painted;
void main() {
  float far = length(gl_PointCoord - 0.5) * size;
  float cover = size < 2.0 ? 1.0 : clamp(size * 0.5 - far + 0.5, 0.0, 1.0);
  float a = colour.a * cover;
  painted = vec4(colour.rgb * a, a);
}`

/** Whether WebGL 2 is worked out by the processor; it is asked of another canvas, for one canvas has one kind of drawing. */
export function isSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2')
  const found = !!gl && /swiftshader|llvmpipe|software|basic render/i.test(rendererName(gl))
  gl?.getExtension('WEBGL_lose_context')?.loseContext()
  return found
}

/** null: there is no WebGL 2 here. */
export function webglPainter(
  canvas: HTMLCanvasElement,
  x: Uint16Array,
  y: Uint16Array,
  topics: Uint16Array,
): Painter | null {
  // What was drawn is kept: points are added over several frames where the machine is slow, and the picture can be saved.
  const gl = canvas.getContext('webgl2', {
    antialias: false,
    depth: false,
    preserveDrawingBuffer: true,
    premultipliedAlpha: true,
  })
  if (!gl) return null
  const program = programOf(gl)
  if (!program) return null
  gl.useProgram(program)
  gl.enable(gl.BLEND)
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
  const places = new Uint16Array(2 * x.length)
  for (let i = 0; i < x.length; i++) {
    places[2 * i] = x[i]!
    places[2 * i + 1] = y[i]!
  }
  attribute(gl, 0, places, () => gl.vertexAttribPointer(0, 2, gl.UNSIGNED_SHORT, true, 0, 0))
  attribute(gl, 1, topics, () => gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_SHORT, 0, 0))
  const codes = attribute(gl, 2, new Uint16Array(x.length), () =>
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_SHORT, 0, 0),
  )
  const place = (name: string) => gl.getUniformLocation(program, name)
  const uniforms = {
    view: place('view'),
    size: place('size'),
    alpha: place('alpha'),
    hidden: place('hidden'),
  }
  gl.uniform1i(place('palette'), 0)
  gl.uniform1i(place('shown'), 1)
  let fence: WebGLSync | null = null
  const textures = [texture(gl, 0), texture(gl, 1)]
  return {
    kind: 'webgl',
    setCodes(values) {
      gl.bindBuffer(gl.ARRAY_BUFFER, codes)
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW)
    },
    setColours(palette, shown) {
      fill(gl, 0, textures[0]!, palette)
      fill(gl, 1, textures[1]!, shown)
    },
    begin(view: PainterView) {
      gl.viewport(0, 0, canvas.width, canvas.height)
      gl.clearColor(0, 0, 0, 0)
      gl.clear(gl.COLOR_BUFFER_BIT)
      const [sx, sy] = [(2 * view.scale) / canvas.width, (2 * view.scale) / canvas.height]
      gl.uniform4f(uniforms.view, sx, -sy, -view.x * sx, view.y * sy)
      gl.uniform1f(uniforms.size, view.size)
      gl.uniform1f(uniforms.alpha, view.alpha)
      gl.uniform4fv(uniforms.hidden, view.hidden)
    },
    draw(from, to) {
      gl.drawArrays(gl.POINTS, from, to - from)
      if (fence) gl.deleteSync(fence)
      fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
    },
    ready() {
      if (!fence) return true
      if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED && !gl.isContextLost()) return false
      gl.deleteSync(fence)
      fence = null
      return true
    },
    destroy() {
      gl.getExtension('WEBGL_lose_context')?.loseContext()
    },
  }
}

function rendererName(gl: WebGL2RenderingContext): string {
  const more = gl.getExtension('WEBGL_debug_renderer_info')
  return String(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? '')
}

function programOf(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram()
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)
    if (!shader) return null
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null
}

function attribute(
  gl: WebGL2RenderingContext,
  index: number,
  values: Uint16Array,
  describe: () => void,
): WebGLBuffer {
  const buffer = gl.createBuffer()
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW)
  gl.enableVertexAttribArray(index)
  describe()
  return buffer
}

function texture(gl: WebGL2RenderingContext, unit: number): WebGLTexture {
  const made = gl.createTexture()
  gl.activeTexture(gl.TEXTURE0 + unit)
  gl.bindTexture(gl.TEXTURE_2D, made)
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST)
  return made
}

/** RGBA, 256 a row; the rest of the last row stays empty. */
function fill(gl: WebGL2RenderingContext, unit: number, into: WebGLTexture, rgba: Uint8Array): void {
  const rows = Math.max(1, Math.ceil(rgba.length / 1024))
  const whole = new Uint8Array(1024 * rows)
  whole.set(rgba)
  gl.activeTexture(gl.TEXTURE0 + unit)
  gl.bindTexture(gl.TEXTURE_2D, into)
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, whole)
}
