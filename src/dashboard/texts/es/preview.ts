import { formatNumber } from '../../language.ts'
import type { previewTexts as English } from '../preview.ts'

const UNPLAYED = {
  title: 'Tu navegador no puede reproducir este archivo',
  text: 'Descárgalo para reproducirlo con otro programa.',
}

export const previewTexts: typeof English = {
  place: (number, count) => `${formatNumber(number)} de ${formatNumber(count)}`,
  previous: 'Archivo anterior',
  next: 'Archivo siguiente',
  notFound: 'Archivo no encontrado',
  notFoundText: 'Puede que se haya movido o eliminado, o que no tengas acceso.',
  unshown: {
    picture: {
      title: 'Esta imagen no se puede mostrar',
      text: 'Puede que esté dañada o en un formato que tu navegador no admite. Puedes descargarla.',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: 'Este PDF no se puede mostrar',
      text: 'Puede que esté dañado o protegido con contraseña. Descárgalo para probar otro programa.',
    },
    unknown: {
      title: 'Sin vista previa para este tipo',
      text: 'Descarga el archivo para abrirlo en tu dispositivo.',
    },
  },
  large: 'Este archivo es demasiado grande para mostrarlo',
  largeText: (limit) =>
    `Su nombre no indica el tipo, y solo los archivos de hasta ${limit} se muestran según su contenido. Puedes descargarlo.`,
  zoomIn: 'Acercar',
  zoomOut: 'Alejar',
  zoomed: (percent) => `${percent} %`,
  fit: (percent) => `Zoom ${percent} %: ajustar a la ventana`,
  empty: 'Este archivo está vacío',
  part: 'Parte del texto',
  parts: { start: 'Principio', end: 'Final' },
  look: 'Vista',
  looks: {
    markdown: { rendered: 'Con formato', source: 'Código' },
    table: { rendered: 'Tabla', source: 'Código' },
  },
  wrap: 'Ajustar líneas',
  more: 'Mostrar más',
  earlier: 'Mostrar líneas anteriores',
  amount: (shown, size) => `${shown} mostrados de ${size}`,
  task: (isDone) => (isDone ? 'Hecho' : 'Pendiente'),
  remotePicture: 'Imagen externa',
  uploader: {
    title: 'Subido por',
    you: (name) => `${name} (tú)`,
    gone: 'Una cuenta eliminada',
    none: 'Encontrado en el disco',
  },
  photo: {
    title: 'Imagen',
    taken: 'Tomada',
    camera: 'Cámara',
    lens: 'Objetivo',
    exposure: 'Exposición',
    dimensions: 'Dimensiones',
    place: 'Lugar',
  },
}
