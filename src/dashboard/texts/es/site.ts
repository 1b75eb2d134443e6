import { formatNumber } from '../../language.ts'
import type { siteTexts as English } from '../site.ts'

export const siteTexts: typeof English = {
  title: (folder) => `Sitio web de «${folder}»`,
  lead: 'Los archivos públicos de esta carpeta, como sitio web con dirección propia.',
  create: 'Crear sitio web',
  created: 'Sitio web creado',
  save: 'Guardar',
  saved: 'Sitio web guardado',

  address: 'Dirección',
  open: 'Abrir el sitio web',
  link: 'Enlace sin contraseña',
  linkText: (end) => `Abre el sitio web sin contraseña hasta el ${end}.`,
  ends: (end) => `Esta vista previa termina el ${end}. Su carpeta pasa entonces a la papelera.`,

  name: 'Nombre',
  nameHint: (address) => `La dirección será ${address}`,
  nameTitle: 'Usa de 1 a 63 caracteres: a a z, 0 a 9 y guiones sueltos en medio.',
  domains: 'Dominios propios',
  domainsHint: 'Por ejemplo, www.example.org. Separa varios con espacios.',
  password: 'Contraseña para visitantes',
  askPassword: 'Pedir una contraseña a los visitantes',
  keepPassword: 'Déjalo vacío para conservar la contraseña actual.',
  spa: 'Mostrar la página de inicio si una página no existe',

  ownDomains: 'Dominios',
  isReached: 'Los visitantes llegan aquí',
  isAwaited: 'Ningún visitante ha llegado desde que arrancó el servidor',
  dns: 'Registro DNS',
  dnsText:
    'Un nombre que no puede ser CNAME necesita registros A y AAAA con las direcciones de este servidor.',
  proxy: 'Caddy',
  proxyText:
    'Solo si Caddy está delante de este servidor: cambia la dirección tras «reverse_proxy» por la del servidor.',

  problems: 'Líneas sin efecto',
  problem: (file, line, message) =>
    line === 0 ? `${file}: ${message}` : `${file}, línea ${formatNumber(line)}: ${message}`,

  versions: 'Versiones anteriores',
  replaced: (when) => `Sustituida: ${when}`,
  goBack: 'Volver',
  goBackTo: (when) => `Volver a la versión sustituida: ${when}`,
  goBackTitle: '¿Volver a esta versión?',
  goBackText: 'Los visitantes la ven de inmediato. La versión actual pasa a la papelera.',
  wentBack: 'La versión anterior está de vuelta',

  previews: 'Vistas previas',
  until: (end) => `Hasta el ${end}`,

  misses: 'Páginas no encontradas',
  missesText:
    'Los visitantes las pidieron en los últimos siete días. Las reglas de un archivo llamado _redirects pueden llevarlos a otra página.',
  times: (count) => `${formatNumber(count)}×`,
  all: (count) => `Mostrar las ${formatNumber(count)}`,

  remove: 'Quitar el sitio web',
  removeTitle: (name) => `¿Quitar el sitio web «${name}»?`,
  removeText: 'Su dirección deja de funcionar de inmediato. Los archivos se quedan donde están.',
  removed: 'Sitio web quitado',
}
