import type { dialogTexts as English } from '../dialogs.ts'

const inBrackets = (text: string) => (text === '' ? '' : ` (${text})`)

export const dialogTexts: typeof English = {
  counting: 'Calcul de ce qui sera supprimé…',
  deleteTitle: (what) => `Supprimer définitivement ${what} ?`,
  expires: (moment, left) => `Expire dans ${left} (${moment}).`,
  extensionText:
    'Une autre extension change le type du fichier, et les applications risquent de ne plus l’ouvrir.',
  extensionTitle: (name) => `Renommer en « ${name} » ?`,
  facts: {
    added: 'Ajouté',
    changed: 'Modifié',
    checksum: 'SHA-256',
    folder: 'Dossier',
    size: 'Taille',
    traffic: 'Trafic, 30 derniers jours',
    type: 'Type',
    visibility: 'Visibilité',
  },
  folderName: 'Nom',
  lifetime: 'Expire après',
  loss: {
    files: (count, what, size) =>
      count === 1
        ? `Le fichier${inBrackets(size)} est supprimé. Ses liens ne fonctionneront plus. Cette action est irréversible.`
        : `${what}${inBrackets(size)} sont supprimés. Leurs liens ne fonctionneront plus. Cette action est irréversible.`,
    folder: (what, size) =>
      what === ''
        ? 'Le dossier est supprimé. Il est vide.'
        : `Le dossier est supprimé avec son contenu : ${what}${inBrackets(size)}. Les liens ne fonctionneront plus. Cette action est irréversible.`,
    mixed: (what, size) =>
      `Suppression, contenu des dossiers compris : ${what}${inBrackets(size)}. Les liens ne fonctionneront plus. Cette action est irréversible.`,
    uncounted: (what) =>
      `Suppression, contenu des dossiers compris : ${what}. Les liens vers les fichiers ne fonctionneront plus. Cette action est irréversible.`,
  },
  makeLink: 'Créer le lien',
  moveTitle: (what) => `Déplacer ${what}`,
  moveTo: (where) => `Déplacer vers ${where}`,
  noFolders: 'Aucun dossier ici.',
  noTraffic: 'Aucune requête',
  plainLink: 'Lien',
  plainLinkIs: {
    public: 'Toute personne disposant de ce lien peut ouvrir le fichier.',
    private: 'Ce fichier est privé : le lien ne s’ouvre que pour les utilisateurs connectés.',
  },
  signedLink: 'Lien temporaire',
  signedLinkText:
    'Toute personne disposant de ce lien peut ouvrir le fichier jusqu’à son expiration. Il ne peut pas être révoqué avant.',
  traffic: (requests, bytes) => `${requests}, ${bytes} envoyés`,
  trafficLabel: 'Requêtes par jour',
  versions: {
    delete: 'Supprimer définitivement',
    deleted: 'Version supprimée définitivement',
    deleteOf: (when) => `Supprimer définitivement la version du ${when}`,
    deleteText: (when) => `La version du ${when} est supprimée. Le fichier lui-même ne change pas.`,
    deleteTitle: 'Supprimer définitivement cette version ?',
    download: (when) => `Télécharger la version du ${when}`,
    facts: (size, when) => `${size}, remplacée ${when}`,
    restore: (when) => `Restaurer la version du ${when}`,
    restored: (when) => `Version du ${when} restaurée. La précédente est conservée comme version.`,
    title: 'Versions précédentes',
  },
  visibilityText:
    'Tous les fichiers des dossiers sélectionnés et de leurs sous-dossiers changent. Les liens simples des fichiers devenus privés ne fonctionnent plus pour le public.',
  visibilityTitle: (visibility) => `Tout rendre ${visibility} ?`,
}
