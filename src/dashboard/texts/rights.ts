const levels = {
  view: 'Can view',
  add: 'Can add',
  edit: 'Can edit',
  clear: 'Can view and delete',
}

/** Texts about rights in folders. */
export const rightsTexts = {
  levels,
  /** Level in a folder, and whether files there may be shared. */
  describe: (level: keyof typeof levels, mayShare: boolean) =>
    `${levels[level]}${mayShare ? ', may share outside' : ''}`,
  willSee: (names: string) => `${names} will see it there.`,
  willNotSee: (names: string) => `${names} will no longer see it.`,
  noTarget: 'Choose one of your folders.',
  mayNotAdd: 'You can’t add anything here.',
  mayNotLeave: (folder: string) => `You can’t take anything out of “${folder}”: you may not delete there.`,
  levelOf: (who: string) => `Rights of ${who}`,
  share: 'May share outside',
  shareOf: (who: string) => `${who} may share outside`,
  title: (folder: string) => `People of “${folder}”`,
  lead: 'Everyone listed here also has everything inside it.',
  none: 'No account was let into this folder alone.',
  everyone: 'Everyone on this server',
  everyoneNote: 'Every limited account, now and later',
  from: 'from',
  byGroups: 'From groups at the provider',
  everything: (names: string) => `${names} can open everything.`,
  invite: 'Invite someone…',
  letIn: 'Let in',
  letInTitle: 'Let someone in',
  account: 'Account',
  noAccounts: 'You can let in accounts that are limited to folders. Limit one on the page Users.',
  sees: (who: string, path: string) => `${who} will see the path ${path}, and nothing else above.`,
  seesTop: (who: string, path: string) => `${who} will see ${path}, and nothing beside it.`,
  everyoneSees: 'Every limited account',
  letOut: (who: string) => `Let ${who} out`,
  letOutDone: (who: string) => `${who} no longer has this folder`,
  letInDone: (who: string) => `${who} has this folder now`,
}
