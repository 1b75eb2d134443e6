import type { registerTexts as English } from '../register.ts'

export const registerTexts: typeof English = {
  title: 'Hazlo tuyo',
  lead: 'La cuenta que creas ahora es de administrador. Después puedes añadir otras.',
  submit: 'Crear cuenta de administrador',
  newFiles: 'Los archivos nuevos son',
  newFilesAre: {
    private:
      'Solo pueden abrirlos las personas con una cuenta. Puedes compartir archivos sueltos con un enlace.',
    public:
      'Cualquiera que tenga el enlace de un archivo, o lo adivine, puede abrirlo. Bueno para una web o descargas.',
  },
  newFilesLater: 'Puedes cambiarlo en Ajustes y para cada archivo.',
  newFilesFailed:
    'Tu cuenta está lista, pero los archivos nuevos aún son públicos. Hazlos privados en Ajustes antes de subir nada.',
  token: 'Token de instalación',
  tokenHint: 'El valor de SETUP_TOKEN, o el token que mostró el servidor al arrancar.',
}
