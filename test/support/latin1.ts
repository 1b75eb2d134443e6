/** Returns the place of a name in Latin-1, one byte a character, as an old system leaves it in a folder. */
export const latin1Place = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')])
