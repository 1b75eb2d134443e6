import type { invitationTexts as English } from '../invitations.ts'

export const invitationTexts: typeof English = {
  title: (place) => `Unirse a ${place}`,
  lead: (name, until) =>
    `${name} te ha invitado. Crea tu cuenta antes de que la invitación caduque el ${until}.`,
  can: {
    admin: 'Serás administrador: podrás hacer todo, incluso gestionar usuarios y ajustes.',
    editor: 'Podrás subir, modificar, compartir y eliminar archivos.',
    viewer: 'Podrás ver y descargar archivos.',
  },
  folders: 'Tendrás estas carpetas:',
  noFolders: 'No verás carpetas hasta que un administrador te dé acceso a una.',
  canOf: (scopes) => `Podrás ${scopes}.`,
  fixedEmail: 'La invitación es para este correo. Iniciarás sesión con él.',
  freeEmail: 'Iniciarás sesión con él.',
  accept: 'Crear cuenta',
  haveAccount: 'Ya tengo una cuenta',
  closedTitle: 'Esta invitación no funciona',
  closedText:
    'Puede que haya caducado, ya se haya usado o se haya revocado. Pide una nueva a quien te la envió.',
  signIn: 'Ir a iniciar sesión',
  signedInTitle: 'Ya has iniciado sesión',
  notNeeded: (email) =>
    `Esta invitación se usó o ya no es válida. No la necesitas: este navegador tiene la sesión de ${email}.`,
  toFiles: 'Continuar a Holdfast',
  signedInText: (email) =>
    `Este navegador tiene la sesión de ${email}. Para crear otra cuenta con esta invitación, cierra antes la sesión.`,
  signOut: 'Cerrar sesión y continuar',
  stay: 'Mantener la sesión',

  invite: 'Invitar',
  inviteTitle: 'Invitar a una persona',
  inviteText: 'Recibes un enlace para enviar. Una persona puede crear una cuenta con él.',
  email: 'Correo (opcional)',
  emailHint: 'Limita la invitación a esta dirección. No se envía ningún correo.',
  note: 'Nota (opcional)',
  noteHint: 'Solo la ven los administradores, por ejemplo «nueva fotógrafa».',
  create: 'Crear enlace',

  madeTitle: 'Copia el enlace ahora',
  madeText: (until) => `Funciona una vez, hasta el ${until}. No volverás a verlo.`,
  link: 'Enlace de invitación',

  list: 'Invitaciones',
  open: { one: 'invitación abierta', other: 'invitaciones abiertas' },
  columns: { name: 'Invitación', role: 'Rol', folders: 'Carpetas', state: 'Estado', expires: 'Caduca' },
  anyone: 'Cualquiera con el enlace',
  anyoneThere: 'cualquiera',
  createdBy: (when, name) => `Creada ${when} por ${name}`,
  deletedAccount: 'una cuenta eliminada',
  states: { open: 'Abierta', used: 'Usada', expired: 'Caducada', suspended: 'Suspendida' },
  usedBy: (name) => `por ${name}`,
  suspended: (name) => `${name} ya no puede gestionar usuarios`,
  actions: 'Acciones',
  revoke: {
    action: 'Revocar',
    actionOf: (name) => `Revocar la invitación: ${name}`,
    title: '¿Revocar esta invitación?',
    text: (name) => `El enlace para ${name} deja de funcionar de inmediato.`,
    done: 'Invitación revocada',
  },
  remove: {
    action: 'Quitar',
    actionOf: (name) => `Quitar la invitación: ${name}`,
    title: '¿Quitar esta invitación?',
    text: (name) => `El enlace para ${name} ha caducado. La invitación desaparece de la lista.`,
    done: 'Invitación quitada',
  },
}
