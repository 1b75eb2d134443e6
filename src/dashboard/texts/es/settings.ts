import type { settingsTexts as English } from '../settings.ts'

export const settingsTexts: typeof English = {
  applied: (what, visibility) => `${what}: ahora ${visibility}`,
  apply: {
    public: (what) => `Hacer públicos ${what}`,
    private: (what) => `Hacer privados ${what}`,
  },
  applyText: {
    public: (what) =>
      `Pasarían a ser públicos: ${what}. Cualquiera que tenga el enlace de un archivo, o lo adivine, podría abrirlo.`,
    private: (what) =>
      `Pasarían a ser privados: ${what}. Sus enlaces simples dejan de funcionar para el público. Los enlaces temporales siguen funcionando.`,
  },
  applyTitle: {
    public: '¿Hacer públicos todos los archivos?',
    private: '¿Hacer privados todos los archivos?',
  },
  atLeast: (amount) => `Como mínimo ${amount}.`,
  atMost: (amount) => `Como máximo ${amount}.`,
  changelog: 'Novedades',
  caching: {
    title: 'Caché',
    lead: 'Cuánto tiempo pueden reutilizar navegadores y proxies los archivos públicos sin comprobar cambios.',
  },
  counts: (open, closed) => `${open} públicos, ${closed} privados`,
  cutsHistory: (days) => `Al guardar se elimina todo el historial de más de ${days}. No se puede deshacer.`,
  cutsTrash: {
    older: (days) =>
      `Lo que lleva en la papelera más de ${days} se elimina definitivamente. No se puede deshacer.`,
    all: 'La papelera se vacía y toda eliminación pasa a ser definitiva. No se puede deshacer.',
  },
  cutsVersions: {
    older: (days) =>
      `Las versiones reemplazadas hace más de ${days} se eliminan definitivamente. No se puede deshacer.`,
    all: 'Todas las versiones anteriores se eliminan definitivamente. No se puede deshacer.',
  },
  discard: 'Descartar',
  existingFiles: 'Archivos existentes',
  history: {
    title: 'Historial',
    lead: 'Cuánto tiempo se conserva el historial. Nunca afecta a los archivos.',
  },
  leave: 'Salir sin guardar',
  leaveText: 'Tus cambios aún no están guardados.',
  leaveTitle: '¿Salir sin guardar?',
  limits: {
    maxUploadSize: { label: 'Tamaño máximo de archivo', hint: 'Las subidas más grandes se rechazan.' },
    defaultPresignTtl: { label: 'Duración predeterminada', hint: 'Se usa si no se elige ninguna.' },
    maxPresignTtl: { label: 'Duración máxima', hint: 'Ningún enlace dura más.' },
    hostingCacheMaxAge: {
      label: 'Duración de la caché',
      hint: '0 = comprobar siempre si hay una versión más reciente.',
    },
    activityRetentionDays: {
      label: 'Actividad',
      hint: 'Se muestra en la página de actividad de cada cuenta.',
    },
    trashDays: { label: 'Papelera', hint: '0 = sin papelera: toda eliminación es definitiva.' },
    versionDays: {
      label: 'Versiones anteriores',
      hint: '0 = sin versiones: los archivos reemplazados se pierden.',
    },
    apiRequestRetentionDays: {
      label: 'Solicitudes con clave de API',
      hint: 'Datos de los gráficos de las claves de API.',
    },
  },
  links: {
    title: 'Enlaces temporales',
    lead: 'Cualquiera con un enlace temporal puede abrir el archivo hasta que caduque.',
  },
  longerThanLongest: 'Es más que la duración máxima.',
  makeAll: { public: 'Hacer públicos todos', private: 'Hacer privados todos' },
  newFiles: 'Archivos nuevos',
  newFilesAre: {
    public: 'Cualquiera con el enlace de un archivo puede abrirlo, salvo que se suba como privado.',
    private:
      'Solo las personas con una cuenta, un enlace compartido o un enlace temporal pueden abrir los archivos nuevos. Aún se puede subir como público.',
  },
  twoStep: {
    title: 'Verificación en dos pasos',
    lead: 'Un código del teléfono después de la contraseña. Cada persona puede activarla en «Cuenta».',
  },
  mustTwoStep: 'Obligatoria para',
  twoSteppers: { no: 'Nadie', admins: 'Administradores', all: 'Todos' },
  twoStepHints: {
    no: 'Cada persona decide por sí misma.',
    admins: 'Los administradores sin ella solo pueden abrir la página de su cuenta hasta que la configuren.',
    all: 'Las cuentas sin ella solo pueden abrir la página de su cuenta hasta que la configuren. Las claves de API siguen funcionando.',
  },
  sharing: {
    title: 'Compartir',
    lead: 'Los enlaces compartidos se pueden abrir sin tener una cuenta.',
  },
  mayShare: 'Quién puede compartir',
  sharers: { readers: 'Todos', writers: 'Editores', nobody: 'Nadie' },
  shareDays: (days) => `Duración predeterminada de un enlace compartido: ${days} (SHARE_DAYS).`,
  shareMaxDays: (days) => `Duración máxima de un enlace compartido: ${days} (SHARE_MAX_DAYS).`,
  sharingHints: {
    readers: 'Quien puede ver archivos también puede compartirlos.',
    writers: 'Quien puede subir y modificar archivos también puede compartirlos.',
    nobody:
      'Nadie puede crear enlaces compartidos. Los existentes siguen abiertos hasta que alguien los finalice.',
  },
  notANumber: 'Tiene que ser un número.',
  removed: {
    title: 'Papelera y versiones',
    lead: 'Cuánto tiempo se pueden restaurar los archivos eliminados y las versiones anteriores. Si falta espacio en disco, los más antiguos se eliminan antes, primero las versiones.',
  },
  save: 'Guardar',
  saved: 'Ajustes guardados para todos.',
  unsaved: 'Cambios sin guardar',
  units: {
    second: { one: 'segundo', other: 'segundos' },
    minute: { one: 'minuto', other: 'minutos' },
    hour: { one: 'hora', other: 'horas' },
    week: { one: 'semana', other: 'semanas' },
    year: { one: 'año', other: 'años' },
  },
  uploads: { title: 'Subidas', lead: 'Límites de lo que se puede subir.' },
  version: (version) => `Holdfast ${version}.`,
  visibility: { title: 'Visibilidad', lead: 'Quién puede abrir archivos por sus enlaces simples.' },
}
