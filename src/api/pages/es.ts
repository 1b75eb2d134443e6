import type { PageTexts } from './en.ts'
import type { Speech } from './speech.ts'

const file = { one: 'archivo', other: 'archivos' }

export const spanish = ({ number, count, bytes, clock }: Speech): PageTexts => ({
  shared: 'Archivos compartidos',
  sendFiles: 'Enviar archivos',
  sendTo: (name) => `Enviar archivos a ${name}`,
  back: 'Atrás',
  folder: 'Carpeta',
  more: 'Más archivos',
  nothing: 'Ahora mismo no hay archivos aquí.',
  summary: (sum) => `${count(sum.count, file)}, ${bytes(sum.size)}`,
  sharedBy: (name) => `Compartido por ${name}`,
  sharedFile: (name, what) => `${name} ha compartido ${what}`,
  sharedFiles: (name, summary) => `${name} ha compartido ${summary}`,
  download: 'Descargar',
  downloadOne: (size) => `Descargar (${bytes(size)})`,
  downloadAll: 'Descargar todo en ZIP',
  unshown: 'Descarga este archivo para abrirlo.',
  limited: 'Mostrarlo contaría como una descarga, por eso no se ve aquí.',
  pdfUnshown: 'Este navegador no muestra archivos PDF dentro de una página.',
  beginning: 'Solo se muestra el principio. Descarga el archivo para leerlo entero.',
  pictures: 'Anterior y siguiente',
  strip: 'Imágenes',
  previous: 'Anterior',
  next: 'Siguiente',

  closed: {
    title: 'Enlace no encontrado',
    heading: 'Este enlace no existe o ha caducado',
    advice: 'Comprueba que el enlace esté completo o pide uno nuevo a quien te lo envió.',
  },
  missing: {
    title: 'No encontrado',
    heading: 'Aquí no hay nada',
    advice: 'Puede que el enlace esté incompleto o que el archivo ya no esté aquí. Pide un enlace nuevo.',
  },
  expired: {
    title: 'Enlace caducado',
    heading: 'Este enlace ha caducado',
    advice: 'Pide un enlace nuevo a quien te lo envió.',
  },
  busy: {
    title: 'Inténtalo dentro de poco',
    heading: 'No se admiten más descargas a la vez',
    back: 'Volver a los archivos',
  },
  taken: (until) =>
    `Hay otras descargas en curso y este enlace no permite más por ahora. Inténtalo de nuevo a las ${clock(until)}.`,
  tooMany: {
    heading: 'Demasiadas solicitudes',
    advice: 'Tu red está enviando muchas solicitudes. Espera un minuto y vuelve a cargar la página.',
  },
  unavailable: {
    heading: 'No disponible en este momento',
    advice:
      'El servidor está ocupado o no puede acceder a sus datos. Espera un minuto, vuelve atrás e inténtalo de nuevo.',
  },
  failed: {
    heading: 'Algo ha ido mal',
    advice: 'Vuelve atrás e inténtalo de nuevo. Si vuelve a ocurrir, avisa a quien te envió el enlace.',
  },
  locked: { heading: 'Estos archivos tienen contraseña', enter: 'Escribir la contraseña' },
  password: {
    lead: 'Este contenido está protegido con una contraseña.',
    label: 'Contraseña',
    open: 'Abrir',
    wrong: 'La contraseña no es correcta.',
    limited: 'Demasiadas contraseñas incorrectas. Espera un minuto e inténtalo de nuevo.',
  },
  site: { heading: 'Este sitio tiene contraseña', over: 'Esta dirección ya no abre el sitio.' },
  chats: {
    read: 'Ver y descargar archivos compartidos',
    both: 'Ver y descargar archivos compartidos, y enviar los tuyos',
    write: 'Un formulario para enviar archivos',
  },

  refused: {
    title: 'Archivos no enviados',
    heading: 'Los archivos no se han enviado',
    again: 'Intentarlo de nuevo',
  },
  refusals: {
    'share-full': 'Ya no queda sitio para esto en el enlace.',
    'type-not-accepted': 'Aquí no se aceptan archivos de este tipo.',
    'too-large': 'Supera el tamaño permitido para un archivo.',
    'too-many': 'Son demasiados archivos a la vez.',
    'no-space': 'Ya no queda espacio para esto. Avisa a quien te envió el enlace.',
    'share-not-found': 'Este enlace ha terminado.',
    other: 'El servidor no lo ha aceptado. Inténtalo más tarde.',
  },
  box: {
    choose: 'Elige archivos o suéltalos aquí',
    send: 'Enviar',
    away: 'Este enlace no acepta archivos en este momento. Avisa a quien te lo envió.',
    hasAll: 'Este enlace ya ha recibido todos los archivos que admite.',
    isFull: 'Hay envíos en curso que ocupan el último sitio libre. Inténtalo más tarde.',
    any: (fileSize) => `Envía los archivos que quieras, de hasta ${bytes(fileSize)} cada uno.`,
    some: (amount, size, fileSize) => {
      const most =
        amount === undefined
          ? 'Envía archivos'
          : `Envía hasta ${count(amount, { one: 'archivo más', other: 'archivos más' })}`
      return `${most}${size === undefined ? '' : `, ${bytes(size)} en total`}. Cada archivo puede ocupar hasta ${bytes(fileSize)}.`
    },
    types: (types) => `Tipos aceptados: ${types}`,
    arrived: (name, amount) =>
      amount === 1 ? `${name} ya tiene tu archivo` : `${name} ya tiene tus ${count(amount, file)}`,
    received: (size) => `${bytes(size)}, recibido`,
    others: (amount) => `y ${number(amount)} más`,
  },
  script: {
    file,
    remove: 'Quitar',
    sending: 'Enviando',
    arrived: 'Recibido',
    waiting: 'Esperando la conexión…',
  },
})
