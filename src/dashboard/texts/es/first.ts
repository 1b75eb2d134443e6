import { formatCount, formatNumber } from '../../language.ts'
import type { FirstTexts } from '../translation.ts'

const secondsOf = (count: number) => formatCount(count, { one: 'segundo', other: 'segundos' })

export const texts: FirstTexts = {
  byte: 'B',
  justNow: 'ahora mismo',
  loading: 'Cargando',
  notifications: 'Notificaciones',
  signOut: 'Cerrar sesión',
  today: 'Hoy',
  yesterday: 'Ayer',

  actions: {
    cancel: 'Cancelar',
    close: 'Cerrar',
    copied: 'Copiado',
    copy: 'Copiar',
    done: 'Listo',
    retry: 'Reintentar',
  },

  nouns: {
    file: { one: 'archivo', other: 'archivos' },
    item: { one: 'elemento', other: 'elementos' },
    folder: { one: 'carpeta', other: 'carpetas' },
    request: { one: 'solicitud', other: 'solicitudes' },
    day: { one: 'día', other: 'días' },
    entry: { one: 'entrada', other: 'entradas' },
    miss: { one: 'no encontrada', other: 'no encontradas' },
    upload: { one: 'subida', other: 'subidas' },
    delete: { one: 'eliminación', other: 'eliminaciones' },
    change: { one: 'cambio', other: 'cambios' },
    device: { one: 'dispositivo', other: 'dispositivos' },
    download: { one: 'descarga', other: 'descargas' },
  },

  unitOf: (label) => `${label}: unidad`,

  lifetime: 'Caduca',
  lifetimes: {
    1: 'En un día',
    7: 'En 7 días',
    30: 'En 30 días',
    90: 'En 90 días',
    365: 'En un año',
    day: 'En una fecha',
    never: 'Nunca',
  },
  lastDay: 'Último día',
  worksUntil: (moment) => `Caduca el ${moment}.`,

  pages: {
    files: 'Archivos',
    recent: 'Recientes',
    favorites: 'Favoritos',
    shares: 'Compartidos',
    trash: 'Papelera',
    overview: 'Resumen',
    activity: 'Actividad',
    security: 'Registro de seguridad',
    settings: 'Ajustes',
    keys: 'Claves de API',
    users: 'Usuarios',
    account: 'Cuenta',
  },
  themes: { system: 'Sistema', light: 'Claro', dark: 'Oscuro' },
  visibility: { public: 'Público', private: 'Privado' },

  frame: {
    menu: 'Menú',
    navigation: 'Páginas',
    search: 'Buscar',
    skip: 'Ir al contenido',
    theme: 'Apariencia',
    docs: 'Documentación',
    apiDocs: 'Referencia de la API',
  },

  account: {
    email: 'Correo electrónico',
    name: 'Nombre',
    password: 'Contraseña',
    passwordHint: 'Al menos 8 caracteres.',
    showPassword: 'Mostrar contraseña',
    hidePassword: 'Ocultar contraseña',
  },

  fieldProblems: {
    missing: 'Rellena este campo.',
    email: 'Introduce un correo electrónico, por ejemplo ada@example.com.',
    short: (length) => `Usa al menos ${length} caracteres.`,
  },

  signIn: {
    title: 'Iniciar sesión',
    lead: 'Tus archivos están donde los dejaste.',
    paused: 'Las subidas están en pausa: inicia sesión para continuar.',
    remember: 'Mantener la sesión en este dispositivo',
    submit: 'Iniciar sesión',
    disabled: 'Esta cuenta está desactivada. Pregunta a un administrador.',
    wrong: 'El correo o la contraseña no son correctos.',
    dropped: (isHttp) =>
      `Tu navegador no ha conservado la sesión. ${isHttp ? 'Abre la dirección https de este servidor' : 'Permite las cookies aquí'} e inténtalo de nuevo.`,
    lost: '¿Has olvidado tu contraseña?',
    lostMember:
      'Pregunta a un administrador de este servidor. Puede darte una nueva en la página «Usuarios».',
    lostAdmin:
      '¿No hay otro administrador? Detén el servidor y ejecuta esto en su máquina, desde el código fuente:',
    lostBinary: 'O con el programa:',
  },

  addressNotice: {
    title: 'Este servidor no está configurado para esta dirección',
    text: (origin) => `Rechaza los cambios desde ${origin}. Añade esta línea a su entorno y reinícialo:`,
    line: 'Línea para añadir',
    elsewhere: 'Si BASE_URL ya está definida, abre el panel en esa dirección.',
  },

  notFound: {
    title: 'No encontrado',
    lead: 'Esta página no existe',
    text: 'Puede que se haya movido o que no tengas acceso.',
    home: 'Ir a la página de inicio',
    folder: 'Carpeta no encontrada',
    files: 'Ir a tus archivos',
  },

  errors: {
    title: 'Algo ha fallado',
    chunk: 'Esta página no se ha podido cargar. Inténtalo de nuevo o recarga si Holdfast se ha actualizado.',
    commonPassword: 'Es una contraseña muy común. Elige otra.',
    copy: 'Tu navegador no ha permitido copiar. Selecciona el texto y cópialo tú.',
    disk: (code) => `El disco del servidor lo ha rechazado (${code}). Pregunta a un administrador.`,
    forbidden: 'Tu cuenta no tiene permiso para esto. Pregunta a un administrador.',
    full: 'El disco del servidor está lleno. Pregunta a un administrador.',
    origin: (origin) =>
      `Este servidor no está configurado para ${origin}. Define BASE_URL=${origin} y reinícialo.`,
    names: {
      taken: (name) => `«${name}» ya existe en esta carpeta.`,
      signs: 'Un nombre no puede contener «/», «\\» ni saltos de línea.',
      dots: 'Un nombre no puede ser «.» ni «..».',
      long: 'Este nombre es demasiado largo.',
    },
    signedOut: 'Tu sesión ha terminado. Inicia sesión de nuevo.',
    manyFavorites: (most) => `Ya tienes ${most} favoritos. Quita algunos primero.`,
    gone: 'Ya no existe.',
    tooLarge: (most) => `El archivo supera el máximo de ${most}.`,
    tooMany: (seconds) =>
      `Hubo demasiadas solicitudes en un minuto. Inténtalo de nuevo en ${secondsOf(seconds)}.`,
    offline: 'No se puede acceder al servidor. Reconectando automáticamente…',
    tooManyTitle: 'Demasiadas solicitudes',
    tooManyRetry: (seconds) =>
      `El servidor limita las solicitudes por minuto. Esta página se recarga en ${secondsOf(seconds)}.`,
    unexpected: 'Algo ha fallado en el servidor. Si sigue ocurriendo, consulta su registro.',
    unreachable: 'No se puede acceder al servidor. Comprueba tu conexión e inténtalo de nuevo.',
  },

  kinds: {
    all: 'Todos los tipos',
    image: 'Imágenes',
    video: 'Vídeos',
    audio: 'Audio',
    document: 'Documentos',
    archive: 'Archivos comprimidos',
    code: 'Código y datos',
    other: 'Otros',
  },

  files: {
    root: 'Archivos',
    yours: 'Tus carpetas',
    notLetIn: 'Aún no hay carpetas',
    askToBeLetIn: (admin = 'un administrador de este servidor') =>
      `Pide a ${admin} que te dé acceso a una carpeta.`,
    noneToShare: 'No puedes compartirlos todos',
    folder: 'Carpeta',
    actions: 'Acciones',
    actionsOf: (name) => `Acciones para ${name}`,
    breadcrumb: 'Carpetas superiores',
    clearSelection: 'Quitar la selección',
    columns: { name: 'Nombre', size: 'Tamaño', updatedAt: 'Modificado', visibility: 'Visibilidad' },
    contents: 'Archivos y carpetas',
    copyLink: 'Copiar enlace',
    create: 'Crear carpeta',
    curlLabel: 'Comando que sube un archivo',
    delete: 'Eliminar',
    deleted: (what) => `${what}: eliminación definitiva completada`,
    deleteForGood: 'Eliminar definitivamente',
    deleting: (what) => `Eliminando definitivamente ${what}`,
    details: 'Detalles',
    download: 'Descargar',
    downloadFailed: 'La descarga no ha empezado. Inténtalo de nuevo.',
    severalDownloads: (count) =>
      `${count} descargas iniciadas, una por carpeta. Puede que tu navegador pregunte si permite varias.`,
    tooManyToDownload: (most, count) =>
      `Has seleccionado ${formatNumber(count)} archivos, pero un ZIP contiene ${formatNumber(most)} como máximo. Selecciona menos, o todo lo de la carpeta.`,
    dropHere: 'Suelta archivos o carpetas en cualquier lugar de esta ventana o elígelos.',
    empty: 'Aún no hay nada aquí',
    emptyFolder: 'Esta carpeta está vacía',
    first: 'Sube tu primer archivo',
    grid: 'Cuadrícula',
    kind: 'Tipo',
    layout: 'Vista',
    linkCopied: 'Enlace copiado',
    list: 'Lista',
    loadRest: 'Cargar el resto',
    loadingMore: (shown) => `${shown} por ahora, vienen más…`,
    makePrivate: 'Hacer privado',
    makePublic: 'Hacer público',
    move: 'Mover',
    moving: (what) => `Moviendo ${what}`,
    moved: (what, where) => `${what}: ahora en ${where || 'Archivos'}`,
    new: 'Nuevo',
    newFolder: 'Carpeta nueva',
    newName: (name) => `Nombre nuevo de ${name}`,
    noMatch: 'Nada coincide en esta carpeta',
    order: 'Orden',
    orders: {
      'name-ASC': 'Nombre, de A a Z',
      'name-DESC': 'Nombre, de Z a A',
      'updatedAt-DESC': 'Más recientes',
      'updatedAt-ASC': 'Más antiguos',
      'size-DESC': 'Más grandes',
      'size-ASC': 'Más pequeños',
    },
    makeKey: 'Crear una clave',
    orCurl: 'O desde un terminal, con una clave de API en $KEY.',
    pdfPage: (number, count) => `Página ${number} de ${count}`,
    preview: 'Abrir',
    privateLinkCopied: 'Enlace copiado. El archivo es privado, así que el enlace solo se abre para usuarios.',
    quoted: (name) => `«${name}»`,
    rename: 'Cambiar nombre',
    replace: 'Reemplazar',
    requestFiles: 'Solicitar archivos',
    search: 'Buscar en esta carpeta',
    select: (name) => `Seleccionar ${name}`,
    selectAll: 'Seleccionar todo',
    selected: (what) => `Selección: ${what}`,
    selection: 'Selección',
    share: 'Compartir',
    notDeleted: (what, reason) => `No se pudo eliminar (${what}): ${reason}`,
    settingVisibility: (what, visibility) => `Cambiando a ${visibility}: ${what}`,
    someNotMoved: (what, reason) => `No se pudo mover (${what}): ${reason}`,
    upload: 'Subir',
    uploadFolder: 'Subir carpeta',
    visibilityFailed: (what, reason) => `No se pudo cambiar (${what}): ${reason}`,
    visibilitySet: (what, visibility) => `${what}: ahora ${visibility}`,
  },

  bulk: {
    canceled: (done, left) => {
      const others =
        left === 1
          ? 'el otro elemento queda como estaba'
          : `los otros ${formatNumber(left)} elementos quedan como estaban`
      return done === '' ? 'Cancelado. No cambió nada.' : `${done}. Cancelado: ${others}.`
    },
    ending: (progress) => (progress === '' ? 'Deteniendo…' : `${progress} · Deteniendo…`),
    progress: (done, total) => `${formatNumber(done)} de ${formatNumber(total)}`,
    waiting: (seconds) => `El servidor limita las solicitudes por minuto. Continúa en ${secondsOf(seconds)}.`,
  },
}
