import type { accountTexts as English } from '../account.ts'

export const accountTexts: typeof English = {
  profile: 'Perfil',
  profileText: 'Tu nombre tal como lo ven los demás y el correo con el que inicias sesión.',
  save: 'Guardar',
  saved: 'Guardado',
  role: 'Rol',
  may: (what) => `Puedes ${what}.`,
  mayNothing: 'Aún no tienes permisos. Pídelos a un administrador.',

  password: 'Contraseña',
  passwordText: 'Usa una contraseña larga que no uses en ningún otro sitio.',
  current: 'Contraseña actual',
  new: 'Contraseña nueva',
  signOutOthers: 'Cerrar sesión en mis otros dispositivos',
  change: 'Cambiar contraseña',
  changed: 'Contraseña cambiada',
  noPassword:
    'Inicias sesión sin contraseña. Crea una para iniciar sesión también con tu correo electrónico.',
  setPassword: 'Crear contraseña',
  passwordSet: 'Contraseña creada',
  mayNoPassword: 'Inicias sesión sin contraseña. Este servidor no permite que tu cuenta use una.',
  passwordUnused:
    'Este servidor no permite que tu cuenta inicie sesión con su contraseña, así que no hace falta cambiarla.',
  wrongPassword: 'La contraseña actual no es correcta.',

  storage: 'Almacenamiento',
  storageText: 'Tus archivos y sus versiones anteriores, incluidos los de la papelera.',
  used: (size) => `${size} usados`,
  usedOf: (size, quota) => `${size} de ${quota} usados`,
  storageFull:
    'Tu almacenamiento está lleno. Elimina archivos definitivamente o pide más espacio a un administrador.',

  devices: 'Dispositivos',
  devicesText:
    'Dónde tienes la sesión iniciada. ¿No reconoces alguno? Cierra su sesión y cambia tu contraseña.',
  thisDevice: 'Este dispositivo',
  signedIn: (when) => `Sesión iniciada ${when}`,
  signOut: 'Cerrar sesión',
  signOutOf: (device, address) => `Cerrar sesión en ${device}, ${address}`,
  signedOut: (device) => `Sesión cerrada en ${device}`,
  signOutAll: 'Cerrar todas las demás',
  signOutAllTitle: '¿Cerrar sesión en todos los demás dispositivos?',
  signOutAllText: 'Habrá que iniciar sesión de nuevo en ellos. En este dispositivo sigue abierta.',
  othersSignedOut: 'Sesión cerrada en todos los demás dispositivos',
  unknownDevice: 'Dispositivo desconocido',
  onSystem: (browser, system) => `${browser} en ${system}`,

  language: 'Idioma',
  languageText: 'Para el panel, inicies sesión donde la inicies.',
  languageOfBrowser: 'Igual que el navegador',

  appearance: 'Apariencia',
  appearanceText: 'Se guarda en este navegador.',
  density: 'Filas de archivos',
  densities: { comfortable: 'Cómodas', compact: 'Compactas' },
}
