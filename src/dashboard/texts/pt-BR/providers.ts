import type { providerTexts as English } from '../providers.ts'

export const providerTexts: typeof English = {
  failures: {
    state_mismatch: () => 'O login demorou demais ou começou em outro navegador. Tente novamente.',
    access_denied: (name) => `${name} não confirmou o login, ou você o cancelou. Tente novamente.`,
    invalid_code: (name) =>
      `Não foi possível verificar a resposta de ${name}. Tente novamente. Se não adiantar, avise um administrador: o motivo está no log do servidor.`,
    email_missing: (name) => `${name} não enviou um e-mail. Adicione um à sua conta lá e tente novamente.`,
    email_not_verified: (name) =>
      `${name} não confirma que seu e-mail é seu. Se você tem uma conta aqui, entre com sua senha e vincule ${name} em “Conta”. Caso contrário, peça a um administrador.`,
    account_not_linked: (name) =>
      `Sua conta aqui ainda não está vinculada a ${name}. Entre com sua senha e vincule-a em “Conta”.`,
    account_already_linked: (name) =>
      `Uma das duas contas já está vinculada a outra. Desvincule-a primeiro ou use outra conta em ${name}.`,
    signup_disabled: () => 'Você ainda não tem uma conta aqui. Peça a um administrador para adicionar você.',
    not_in_group: (name) => `Seus grupos em ${name} não dão acesso. Peça a um administrador.`,
    account_disabled: () => 'Esta conta está desativada. Peça a um administrador.',
    provider_unavailable: (name) =>
      `Não foi possível acessar ${name}. Tente de novo em breve ou entre de outra forma.`,
  },
  or: 'ou',
  forwarded: 'Continuar com o login do proxy',
  with: (name) => `Entrar com ${name}`,
  signOutToo: (name) => `Sair também de ${name}`,
  provider: 'o provedor',

  link: {
    title: 'Login único',
    lead: 'Contas de outros lugares com as quais você entra aqui.',
    is: (name) => `${name} entra nesta conta.`,
    isNot: (name) => `${name} não está vinculado a esta conta.`,
    link: (name) => `Vincular ${name}`,
    unlink: (name) => `Desvincular ${name}`,
    unlinked: (name) => `${name} não entra mais na sua conta`,
    linked: (name) =>
      `Sua conta foi vinculada a ${name}, porque ambas têm o mesmo e-mail. Você pode desvinculá-la em “Conta”.`,
  },

  settings: {
    title: 'Login único',
    lead: 'Definido pelas variáveis que começam com OIDC_.',
    redirect: 'Endereço de redirecionamento, para o cliente no provedor',
    issuer: 'Emissor',
    try: 'Testar',
    works: (name) => `O Holdfast acessou ${name}. Os metadados são os esperados.`,
    guide: 'Como configurar',
  },

  linkPage: {
    title: 'Entrar com um link',
    lead: 'Um operador deste servidor criou este link para você. Ele funciona uma vez.',
    submit: 'Entrar',
    other: 'Entrar de outra forma',
  },
}
