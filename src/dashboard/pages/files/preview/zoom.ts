/** Width and height, or a distance, in CSS pixels. */
export interface Size {
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}

/** Part of a picture that is in view. */
export interface View extends Point {
  /** Size relative to the whole picture fitted into the stage: 1 shows all of it. */
  zoom: number
}

export const FITTED: View = { zoom: 1, x: 0, y: 0 }

/** Maximum width of a pixel of the picture, in CSS pixels. */
const MAX_PIXEL = 8
const MIN_MAX_ZOOM = 4

/** A picture and the room for it. */
export interface Frame {
  /** Size of the picture at zoom 1. */
  fitted: Size
  stage: Size
  /** Maximum zoom. */
  most: number
}

/**
 * Returns the frame of a picture on a stage.
 *
 * @param mayGrow True for a drawing without pixels, which fills the stage.
 */
export function frameOf(picture: Size, stage: Size, mayGrow = false): Frame {
  const scale = Math.min(stage.width / picture.width, stage.height / picture.height)
  const fit = mayGrow ? scale : Math.min(1, scale)
  const fitted = { width: picture.width * fit, height: picture.height * fit }
  return { fitted, stage, most: Math.max(MIN_MAX_ZOOM, MAX_PIXEL / fit) }
}

/** Moves a view by some pixels, as far as there is more of the picture. */
export function moveBy(view: View, { x, y }: Point, { fitted, stage }: Frame): View {
  const spare = (length: number, room: number) => Math.max(0, (length * view.zoom - room) / 2)
  const within = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value))
  return {
    zoom: view.zoom,
    x: within(view.x + x, spare(fitted.width, stage.width)),
    y: within(view.y + y, spare(fitted.height, stage.height)),
  }
}

/** Changes the zoom by a factor. What is at a point, measured from the middle of the stage, stays there. */
export function zoomBy(view: View, factor: number, at: Point, frame: Frame): View {
  const zoom = Math.max(1, Math.min(frame.most, view.zoom * factor))
  const ratio = zoom / view.zoom
  const shift = { x: (at.x - view.x) * (1 - ratio), y: (at.y - view.y) * (1 - ratio) }
  return moveBy({ ...view, zoom }, shift, frame)
}
