import type { registerTexts as English } from '../register.ts'

export const registerTexts: typeof English = {
  title: 'Deixe com a sua cara',
  lead: 'A conta que você cria agora é de administrador. Você pode adicionar outras depois.',
  submit: 'Criar conta de administrador',
  newFiles: 'Novos arquivos são',
  newFilesAre: {
    private: 'Só pessoas com uma conta podem abri-los. Você pode compartilhar arquivos por link.',
    public:
      'Qualquer pessoa que tenha o link de um arquivo, ou o adivinhe, pode abri-lo. Bom para um site ou downloads.',
  },
  newFilesLater: 'Você pode mudar isso em Configurações e em cada arquivo.',
  newFilesFailed:
    'Sua conta está pronta, mas os novos arquivos ainda são públicos. Torne-os privados em Configurações antes de enviar.',
  token: 'Token de instalação',
  tokenHint: 'O valor de SETUP_TOKEN, ou o token que o servidor mostrou ao iniciar.',
}
