import type { passkeyTexts as English } from '../passkeys.ts'

export const passkeyTexts: typeof English = {
  signIn: 'Iniciar sesión con llave de acceso',
  errors: {
    'passkey-not-found':
      'Esta llave de acceso no se conoce aquí. Inicia sesión de otra forma y añade una nueva en «Cuenta».',
    'authentication-failed':
      'La llave de acceso no se ha aceptado. Inténtalo de nuevo o inicia sesión de otra forma.',
    'challenge-not-found': 'Ha tardado demasiado o has iniciado sesión en otra pestaña. Inténtalo de nuevo.',
    'failed-to-verify-registration':
      'No se ha podido verificar la nueva llave de acceso. Inténtalo de nuevo.',
    'passkeys-unavailable': 'Este servidor no está configurado para llaves de acceso.',
    'previously-registered': 'Esta llave de acceso ya se añadió.',
  },
  title: 'Llaves de acceso',
  lead: 'Inicia sesión con tu huella, tu cara o el bloqueo de pantalla en lugar de una contraseña.',
  none: 'Aún no tienes llaves de acceso.',
  add: 'Añadir llave de acceso',
  added: 'Llave de acceso añadida',
  addedAt: (when) => `Añadida ${when}`,
  usedAt: (when) => `último uso ${when}`,
  actionsOf: (name) => `Acciones para ${name}`,
  rename: 'Cambiar nombre',
  renameTitle: (name) => `Cambiar el nombre de «${name}»`,
  name: 'Nombre',
  save: 'Guardar',
  delete: 'Eliminar',
  deleteTitle: (name) => `¿Eliminar «${name}»?`,
  deleteText:
    'Ya no podrás iniciar sesión con ella. Quítala también de tu dispositivo, si no lo hace por sí mismo.',
  deleteLast:
    'Entonces tu contraseña basta para iniciar sesión, y tus códigos de recuperación dejan de funcionar.',
  deleted: (name) => `«${name}» eliminada`,
  askAfter: 'Pedirla también después de la contraseña',
  askAfterHint: 'Así una contraseña robada no basta.',
  withCodes: 'Después de la contraseña puedes usar una llave de acceso en lugar de un código.',
  whyNot: {
    server:
      'Las llaves de acceso necesitan https y un nombre. La dirección de este servidor (BASE_URL) debe empezar por https:// y no puede ser una dirección IP.',
    http: 'Los navegadores solo ofrecen llaves de acceso por https. Abre la dirección https de este servidor.',
    address:
      'Los navegadores no ofrecen llaves de acceso en una dirección IP. Abre este servidor por su nombre.',
    browser: 'Este navegador es demasiado antiguo para las llaves de acceso.',
  },
  step: 'Usar una llave de acceso',
  stepTitle: 'Usa tu llave de acceso',
  stepLead: 'Confirma tu identidad con tu huella, tu cara o el bloqueo de pantalla.',
  refused:
    'Tu navegador no ha podido usar una llave de acceso aquí. Inténtalo de nuevo o inicia sesión de otra forma.',
}
