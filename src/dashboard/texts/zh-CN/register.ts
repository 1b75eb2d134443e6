import type { registerTexts as English } from '../register.ts'

export const registerTexts: typeof English = {
  title: '开始使用',
  lead: '您现在创建的是管理员账户。之后可以添加其他账户。',
  submit: '创建管理员账户',
  newFiles: '新文件为',
  newFilesAre: {
    private: '只有拥有账户的人才能打开。您可以用链接分享单个文件。',
    public: '知道或猜到文件链接的任何人都可以打开。适合网站或下载。',
  },
  newFilesLater: '您可以在设置中更改，也可以单独更改每个文件。',
  newFilesFailed: '您的账户已就绪，但新文件仍为公开。请在上传前到设置中将其改为私密。',
  token: '安装令牌',
  tokenHint: 'SETUP_TOKEN 的值，或服务器启动时输出的令牌。',
}
