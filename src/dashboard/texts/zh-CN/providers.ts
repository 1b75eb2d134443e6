import type { providerTexts as English } from '../providers.ts'

export const providerTexts: typeof English = {
  failures: {
    state_mismatch: () => '登录耗时过长，或是在另一个浏览器中开始的。请重试。',
    access_denied: (name) => `${name} 未确认登录，或者您已取消。请重试。`,
    invalid_code: (name) =>
      `无法验证 ${name} 的响应。请重试。如果仍然不行，请告知管理员：原因在服务器日志中。`,
    email_missing: (name) => `${name} 未提供电子邮箱。请在那边的账户中添加邮箱，然后重试。`,
    email_not_verified: (name) =>
      `${name} 未确认该邮箱属于您。如果您在此有账户，请用密码登录，并在“账户”中关联 ${name}。否则请联系管理员。`,
    account_not_linked: (name) => `您在此的账户尚未关联 ${name}。请用密码登录，然后在“账户”中关联。`,
    account_already_linked: (name) =>
      `其中一个账户已与其他账户关联。请先取消关联，或使用 ${name} 的其他账户。`,
    signup_disabled: () => '您在此还没有账户。请让管理员添加您。',
    not_in_group: (name) => `您在 ${name} 的群组没有访问权限。请联系管理员。`,
    account_disabled: () => '此账户已停用。请联系管理员。',
    provider_unavailable: (name) => `无法连接 ${name}。请稍后重试，或用其他方式登录。`,
  },
  or: '或',
  forwarded: '使用代理的登录继续',
  with: (name) => `使用 ${name} 登录`,
  signOutToo: (name) => `同时退出 ${name}`,
  provider: '身份提供商',

  link: {
    title: '单点登录',
    lead: '可用来在此登录的其他账户。',
    is: (name) => `可使用 ${name} 登录此账户。`,
    isNot: (name) => `${name} 未关联此账户。`,
    link: (name) => `关联 ${name}`,
    unlink: (name) => `取消关联 ${name}`,
    unlinked: (name) => `已不能再用 ${name} 登录`,
    linked: (name) => `您的账户已关联 ${name}，因为两者邮箱相同。您可以在“账户”中取消关联。`,
  },

  settings: {
    title: '单点登录',
    lead: '由以 OIDC_ 开头的变量设置。',
    redirect: '重定向地址，用于身份提供商处的客户端',
    issuer: '颁发者',
    try: '测试',
    works: (name) => `Holdfast 已连接 ${name}，其元数据符合预期。`,
    guide: '如何设置',
  },

  linkPage: {
    title: '使用链接登录',
    lead: '此服务器的运维人员为您创建了此链接。它只能使用一次。',
    submit: '登录',
    other: '用其他方式登录',
  },
}
