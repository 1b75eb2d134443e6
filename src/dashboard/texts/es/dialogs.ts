import type { dialogTexts as English } from '../dialogs.ts'

const inBrackets = (text: string) => (text === '' ? '' : ` (${text})`)

export const dialogTexts: typeof English = {
  counting: 'Calculando lo que se eliminará…',
  deleteTitle: (what) => `¿Eliminar definitivamente ${what}?`,
  expires: (moment, left) => `Caduca en ${left} (${moment}).`,
  extensionText: 'Otra extensión cambia el tipo del archivo, y puede que las aplicaciones ya no lo abran.',
  extensionTitle: (name) => `¿Cambiar el nombre a «${name}»?`,
  facts: {
    added: 'Añadido',
    changed: 'Modificado',
    checksum: 'SHA-256',
    folder: 'Carpeta',
    size: 'Tamaño',
    traffic: 'Tráfico, últimos 30 días',
    type: 'Tipo',
    visibility: 'Visibilidad',
  },
  folderName: 'Nombre',
  lifetime: 'Caduca después de',
  loss: {
    files: (count, what, size) =>
      count === 1
        ? `Se elimina el archivo${inBrackets(size)}. Sus enlaces dejarán de funcionar. No se puede deshacer.`
        : `Se eliminan ${what}${inBrackets(size)}. Sus enlaces dejarán de funcionar. No se puede deshacer.`,
    folder: (what, size) =>
      what === ''
        ? 'Se elimina la carpeta. Está vacía.'
        : `Se elimina la carpeta con su contenido: ${what}${inBrackets(size)}. Los enlaces dejarán de funcionar. No se puede deshacer.`,
    mixed: (what, size) =>
      `Se elimina, con el contenido de las carpetas: ${what}${inBrackets(size)}. Los enlaces dejarán de funcionar. No se puede deshacer.`,
    uncounted: (what) =>
      `Se elimina, con el contenido de las carpetas: ${what}. Los enlaces a los archivos dejarán de funcionar. No se puede deshacer.`,
  },
  makeLink: 'Crear enlace',
  moveTitle: (what) => `Mover ${what}`,
  moveTo: (where) => `Mover a ${where}`,
  noFolders: 'Aquí no hay carpetas.',
  noTraffic: 'Sin solicitudes',
  plainLink: 'Enlace',
  plainLinkIs: {
    public: 'Cualquiera con este enlace puede abrir el archivo.',
    private: 'Este archivo es privado: el enlace solo se abre para usuarios con sesión iniciada.',
  },
  signedLink: 'Enlace temporal',
  signedLinkText:
    'Cualquiera con este enlace puede abrir el archivo hasta que caduque. No se puede revocar antes.',
  traffic: (requests, bytes) => `${requests}, ${bytes} enviados`,
  trafficLabel: 'Solicitudes por día',
  versions: {
    delete: 'Eliminar definitivamente',
    deleted: 'Versión eliminada definitivamente',
    deleteOf: (when) => `Eliminar definitivamente la versión del ${when}`,
    deleteText: (when) => `Se elimina la versión del ${when}. El archivo en sí no cambia.`,
    deleteTitle: '¿Eliminar definitivamente esta versión?',
    download: (when) => `Descargar la versión del ${when}`,
    facts: (size, when) => `${size}, reemplazada ${when}`,
    restore: (when) => `Restaurar la versión del ${when}`,
    restored: (when) => `Versión del ${when} restaurada. La anterior se conserva como versión.`,
    title: 'Versiones anteriores',
  },
  visibilityText:
    'Cambian todos los archivos de las carpetas seleccionadas y de sus subcarpetas. Los enlaces simples de los archivos que pasan a ser privados dejan de funcionar para el público.',
  visibilityTitle: (visibility) => `¿Cambiar todo a ${visibility}?`,
}
