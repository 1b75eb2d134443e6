import type * as English from '../scopes.ts'

export const keyScopeTexts: typeof English.keyScopeTexts = {
  'files:read': {
    label: 'Leer archivos',
    can: 'leer',
    short: 'Leer',
    hint: 'Listar, buscar y descargar archivos, y compartirlos donde los ajustes lo permitan.',
  },
  'files:write': {
    label: 'Escribir archivos',
    can: 'escribir',
    short: 'Escribir',
    hint: 'Subir, cambiar nombres, mover y hacer público o privado.',
  },
  'files:delete': {
    label: 'Eliminar archivos',
    can: 'eliminar',
    short: 'Eliminar',
    hint: 'Mover archivos y carpetas a la papelera y eliminarlos definitivamente.',
  },
}

export const scopeTexts: typeof English.scopeTexts = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'Claves de API',
    can: 'claves de API',
    short: 'Claves',
    hint: 'Crear claves y dejar que las aplicaciones las usen.',
  },
  'settings:manage': {
    label: 'Ajustes',
    can: 'ajustes',
    short: 'Ajustes',
    hint: 'Cambiar los límites y la visibilidad de los archivos para todos.',
  },
  'users:manage': {
    label: 'Usuarios',
    can: 'usuarios',
    short: 'Usuarios',
    hint: 'Añadir, modificar y eliminar cuentas.',
  },
}

export const roleTexts: typeof English.roleTexts = {
  admin: { label: 'Administrador', hint: 'Puede hacer todo, incluso gestionar usuarios y ajustes.' },
  editor: {
    label: 'Editor',
    hint: 'Puede leer, escribir y eliminar archivos, y gestionar sus propias claves de API.',
  },
  viewer: { label: 'Lector', hint: 'Puede ver y descargar archivos.' },
  custom: { label: 'Personalizado', hint: 'Elegir los permisos.' },
}

export const scopeListTexts: typeof English.scopeListTexts = {
  say: (files, managed) =>
    [files && `${files} archivos`, managed && `gestionar ${managed}`].filter(Boolean).join(' y '),
}
