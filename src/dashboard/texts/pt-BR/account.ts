import type { accountTexts as English } from '../account.ts'

export const accountTexts: typeof English = {
  profile: 'Perfil',
  profileText: 'Seu nome como os outros o veem e o e-mail com que você entra.',
  save: 'Salvar',
  saved: 'Salvo',
  role: 'Função',
  may: (what) => `Você pode ${what}.`,
  mayNothing: 'Você ainda não tem permissões. Peça a um administrador.',

  password: 'Senha',
  passwordText: 'Use uma senha longa, que você não usa em nenhum outro lugar.',
  current: 'Senha atual',
  new: 'Nova senha',
  signOutOthers: 'Sair dos meus outros dispositivos',
  change: 'Alterar senha',
  changed: 'Senha alterada',
  noPassword: 'Você entra sem senha. Defina uma para entrar também com seu e-mail.',
  setPassword: 'Definir senha',
  passwordSet: 'Senha definida',
  mayNoPassword: 'Você entra sem senha. Este servidor não permite que sua conta use uma.',
  passwordUnused: 'Este servidor não permite que sua conta entre com a senha, então não é preciso alterá-la.',
  wrongPassword: 'A senha atual está incorreta.',

  storage: 'Armazenamento',
  storageText: 'Seus arquivos e suas versões anteriores, incluindo os da lixeira.',
  used: (size) => `${size} em uso`,
  usedOf: (size, quota) => `${size} de ${quota} em uso`,
  storageFull:
    'Seu armazenamento está cheio. Exclua arquivos permanentemente ou peça mais espaço a um administrador.',

  devices: 'Dispositivos',
  devicesText: 'Onde você está conectado. Não reconhece algum? Desconecte-o e altere sua senha.',
  thisDevice: 'Este dispositivo',
  signedIn: (when) => `Conectado ${when}`,
  signOut: 'Desconectar',
  signOutOf: (device, address) => `Desconectar ${device}, ${address}`,
  signedOut: (device) => `${device} foi desconectado`,
  signOutAll: 'Desconectar todos os outros',
  signOutAllTitle: 'Desconectar todos os outros dispositivos?',
  signOutAllText: 'Será preciso entrar neles novamente. Este dispositivo continua conectado.',
  othersSignedOut: 'Todos os outros dispositivos foram desconectados',
  unknownDevice: 'Dispositivo desconhecido',
  onSystem: (browser, system) => `${browser} no ${system}`,

  language: 'Idioma',
  languageText: 'O do painel, onde quer que você entre.',
  languageOfBrowser: 'O do navegador',

  appearance: 'Aparência',
  appearanceText: 'Salva neste navegador.',
}
