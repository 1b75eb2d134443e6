import type { userTexts as English } from '../users.ts'

export const userTexts: typeof English = {
  lead: 'Las personas con una cuenta aquí y sus permisos.',
  list: 'Usuarios',
  add: 'Añadir usuario',
  columns: {
    name: 'Usuario',
    role: 'Rol',
    folders: 'Carpetas',
    storage: 'Almacenamiento',
    keys: 'Claves de API',
    added: 'Añadido',
    seen: 'Última vez',
  },
  you: 'Tú',
  disabled: 'Desactivada',
  neverSeen: 'Nunca',
  ofQuota: (quota) => `de ${quota}`,
  full: 'Lleno',
  actions: 'Acciones',
  actionsOf: (name) => `Acciones para ${name}`,
  search: 'Buscar usuarios',
  noMatch: 'Ningún usuario coincide',

  everything: 'Todo',
  noFolders: 'Aún ninguna',
  reach: 'Acceso',
  reaches: {
    all: { label: 'Todo', hint: 'Todos los archivos y carpetas de este servidor.' },
    some: {
      label: 'Solo algunas carpetas',
      hint: 'Esas carpetas y todo su contenido. La cuenta no ve nada más.',
    },
  },
  addFolder: 'Añadir carpeta',
  addThisFolder: 'Añadir esta carpeta',
  removeFolder: (name) => `Quitar ${name}`,
  inTrash: (name) => `${name} (en la papelera)`,
  makeHome: 'Crear una carpeta para esta persona',
  homeOf: (name) => `people/${name}`,
  changeFolders: 'Cambiar carpetas',
  foldersTitle: (name) => `Carpetas de ${name}`,
  foldersText: 'Se aplica de inmediato, también a sus claves de API y enlaces compartidos.',
  foldersChanged: (name) => `Carpetas de ${name} cambiadas`,

  addTitle: 'Añadir un usuario',
  role: 'Rol',
  may: 'Permisos',
  chooseScope: 'Elige al menos un permiso.',
  password: 'Contraseña',
  passwordHint: 'Al menos 8 caracteres. Se puede cambiar en «Cuenta».',
  generate: 'Generar',

  handOverTitle: (name) => `Comparte estos datos de acceso con ${name}`,
  handOverText: 'No volverás a ver la contraseña.',
  handOver: (address, email, password) => `${address}\nCorreo: ${email}\nContraseña: ${password}`,
  handOverLabel: 'Datos de acceso',

  changeRole: 'Cambiar rol',
  changeRoleTitle: (name) => `Rol de ${name}`,
  changeRoleText: 'Se aplica de inmediato, también a sus claves de API.',
  save: 'Guardar',
  roleChanged: (name, role) => `Nuevo rol de ${name}: ${role}`,

  resetPassword: 'Restablecer contraseña',
  resetTitle: (name) => `Contraseña nueva para ${name}`,
  resetText: 'Se cierra su sesión en todos sus dispositivos.',
  deleteKeys: 'Eliminar también sus claves de API',
  endShares: 'Finalizar también sus enlaces compartidos',
  keepLinked: 'Conservar su vínculo con el proveedor',
  reset: 'Guardar contraseña',

  twoStep: 'Dos pasos',
  resetTwoStep: 'Restablecer los dos pasos',
  resetTwoStepTitle: (name) => `¿Restablecer la verificación en dos pasos de ${name}?`,
  resetTwoStepAction: 'Restablecer',
  resetTwoStepText:
    'Para quien perdió su teléfono. Entonces basta su contraseña, sus llaves de acceso y códigos de recuperación dejan de funcionar, y se cierra su sesión en todas partes.',
  twoStepReset: (name) => `${name} inicia sesión solo con la contraseña`,

  changeQuota: 'Limitar almacenamiento',
  quotaTitle: (name) => `Límite de almacenamiento de ${name}`,
  quotaText:
    'Los archivos, sus versiones anteriores y la papelera cuentan para la cuenta que los subió. Un límite más bajo no elimina nada.',
  quota: 'Límite de almacenamiento',
  quotaChoices: { none: 'Sin límite', limit: 'Límite' },
  quotaUsed: (used) => `${used} usados`,
  quotaChanged: (name, quota) =>
    quota === undefined ? `${name} no tiene límite de almacenamiento` : `${name} puede almacenar ${quota}`,

  disable: 'Desactivar',
  disableTitle: (name) => `¿Desactivar a ${name}?`,
  disableText:
    'Se cierra su sesión en todas partes y sus claves de API se detienen hasta que vuelvas a activar la cuenta.',
  disabledNow: (name) => `Cuenta de ${name} desactivada`,
  enable: 'Activar',
  enabledNow: (name) => `${name} puede volver a iniciar sesión`,

  delete: 'Eliminar',
  deleteTitle: (name) => `¿Eliminar a ${name}?`,
  deleteText:
    'Se elimina la cuenta con sus sesiones, claves de API e historial. Sus archivos se quedan. No se puede deshacer.',
  deleted: (name) => `Cuenta de ${name} eliminada`,
}
