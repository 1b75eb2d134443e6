import type { deviceTexts as English } from '../devices.ts'

export const deviceTexts: typeof English = {
  title: 'Autorizar un programa',
  lead: 'Introduce el código que muestra el programa.',
  code: 'Código',
  next: 'Continuar',
  unknown:
    'Ningún programa espera con este código. Compruébalo o empieza de nuevo: un código vale 10 minutos.',
  asks: (name) => `${name} pide acceso`,
  compare: 'Autorízalo solo si lo has iniciado tú y muestra este código:',
  able: (scopes, email) =>
    `Recibe una clave de API de ${email} con la que puede ${scopes}. Puedes eliminarla en «Claves de API» cuando quieras.`,
  from: (address) => `La solicitud viene de ${address}.`,
  approve: 'Autorizar',
  deny: 'Rechazar',
  approved: (name) => `${name} ya tiene acceso`,
  approvedText: 'Puedes cerrar esta página.',
  denied: 'Rechazado',
  deniedText:
    'El programa no obtiene acceso. Si no lo iniciaste tú, puede que te enviaran su enlace para llegar a tus archivos.',
  home: 'Ir a Holdfast',
}
