import type * as English from '../scopes.ts'

export const keyScopeTexts: typeof English.keyScopeTexts = {
  'files:read': {
    label: '读取文件',
    can: '读取',
    short: '读取',
    hint: '列出、搜索和下载文件，并在设置允许时分享。',
  },
  'files:write': {
    label: '写入文件',
    can: '写入',
    short: '写入',
    hint: '上传、重命名、移动，以及设为公开或私密。',
  },
  'files:delete': {
    label: '删除文件',
    can: '删除',
    short: '删除',
    hint: '将文件和文件夹移到回收站，以及永久删除。',
  },
}

export const scopeTexts: typeof English.scopeTexts = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'API 密钥',
    can: ' API 密钥',
    short: '密钥',
    hint: '创建密钥并供应用使用。',
  },
  'settings:manage': {
    label: '设置',
    can: '设置',
    short: '设置',
    hint: '为所有人更改限制和文件可见性。',
  },
  'users:manage': {
    label: '用户',
    can: '用户',
    short: '用户',
    hint: '添加、更改和删除账户。',
  },
}

export const roleTexts: typeof English.roleTexts = {
  admin: { label: '管理员', hint: '可以执行所有操作，包括管理用户和设置。' },
  editor: { label: '编辑者', hint: '可以读取、写入和删除文件，并管理自己的 API 密钥。' },
  viewer: { label: '查看者', hint: '可以查看和下载文件。' },
  custom: { label: '自定义', hint: '自行选择权限。' },
}

export const scopeListTexts: typeof English.scopeListTexts = {
  say: (files, managed) =>
    [files && `${files}文件`, managed && `管理${managed}`].filter(Boolean).join('，并'),
}
