import type { providerTexts as English } from '../providers.ts'

export const providerTexts: typeof English = {
  failures: {
    state_mismatch: () =>
      'El inicio de sesión ha tardado demasiado o empezó en otro navegador. Inténtalo de nuevo.',
    access_denied: (name) =>
      `${name} no ha confirmado el inicio de sesión o lo has cancelado. Inténtalo de nuevo.`,
    invalid_code: (name) =>
      `No se ha podido verificar la respuesta de ${name}. Inténtalo de nuevo. Si no sirve, díselo a un administrador: el motivo está en el registro del servidor.`,
    email_missing: (name) =>
      `${name} no ha enviado un correo electrónico. Añade uno a tu cuenta allí e inténtalo de nuevo.`,
    email_not_verified: (name) =>
      `${name} no confirma que tu correo sea tuyo. Si tienes una cuenta aquí, inicia sesión con tu contraseña y vincula ${name} en «Cuenta». Si no, pregunta a un administrador.`,
    account_not_linked: (name) =>
      `Tu cuenta aquí aún no está vinculada a ${name}. Inicia sesión con tu contraseña y vincúlala en «Cuenta».`,
    account_already_linked: (name) =>
      `Una de las dos cuentas ya está vinculada a otra. Desvincúlala primero o usa otra cuenta de ${name}.`,
    signup_disabled: () => 'Aún no tienes una cuenta aquí. Pide a un administrador que te añada.',
    not_in_group: (name) => `Tus grupos en ${name} no te dan acceso. Pregunta a un administrador.`,
    account_disabled: () => 'Esta cuenta está desactivada. Pregunta a un administrador.',
    provider_unavailable: (name) =>
      `No se puede acceder a ${name}. Inténtalo pronto de nuevo o inicia sesión de otra forma.`,
  },
  or: 'o',
  forwarded: 'Continuar con tu sesión del proxy',
  with: (name) => `Iniciar sesión con ${name}`,
  signOutToo: (name) => `Cerrar sesión también en ${name}`,
  provider: 'el proveedor',

  link: {
    title: 'Inicio de sesión único',
    lead: 'Cuentas de otros sitios con las que inicias sesión aquí.',
    is: (name) => `${name} inicia sesión en esta cuenta.`,
    isNot: (name) => `${name} no está vinculado a esta cuenta.`,
    link: (name) => `Vincular ${name}`,
    unlink: (name) => `Desvincular ${name}`,
    unlinked: (name) => `${name} ya no inicia tu sesión`,
    linked: (name) =>
      `Tu cuenta se ha vinculado a ${name} porque ambas tienen el mismo correo. Puedes desvincularla en «Cuenta».`,
  },

  settings: {
    title: 'Inicio de sesión único',
    lead: 'Se define con las variables que empiezan por OIDC_.',
    redirect: 'Dirección de redirección, para el cliente en el proveedor',
    issuer: 'Emisor',
    try: 'Probar',
    works: (name) => `Holdfast ha llegado a ${name}. Sus metadatos son los esperados.`,
    guide: 'Cómo configurarlo',
  },

  linkPage: {
    title: 'Iniciar sesión con un enlace',
    lead: 'Un operador de este servidor creó este enlace para ti. Funciona una vez.',
    submit: 'Iniciar sesión',
    other: 'Iniciar sesión de otra forma',
  },
}
