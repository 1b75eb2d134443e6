import { formatCount, formatNumber } from '../../language.ts'
import type { FirstTexts } from '../translation.ts'

const secondsOf = (count: number) => formatCount(count, { one: 'seconde', other: 'secondes' })

export const texts: FirstTexts = {
  byte: 'o',
  justNow: 'à l’instant',
  loading: 'Chargement',
  notifications: 'Notifications',
  signOut: 'Se déconnecter',
  today: 'Aujourd’hui',
  yesterday: 'Hier',

  actions: {
    cancel: 'Annuler',
    close: 'Fermer',
    copied: 'Copié',
    copy: 'Copier',
    done: 'Terminé',
    retry: 'Réessayer',
  },

  nouns: {
    file: { one: 'fichier', other: 'fichiers' },
    item: { one: 'élément', other: 'éléments' },
    folder: { one: 'dossier', other: 'dossiers' },
    request: { one: 'requête', other: 'requêtes' },
    day: { one: 'jour', other: 'jours' },
    entry: { one: 'entrée', other: 'entrées' },
    miss: { one: 'introuvable', other: 'introuvables' },
    upload: { one: 'importation', other: 'importations' },
    delete: { one: 'suppression', other: 'suppressions' },
    change: { one: 'modification', other: 'modifications' },
    device: { one: 'appareil', other: 'appareils' },
    download: { one: 'téléchargement', other: 'téléchargements' },
  },

  unitOf: (label) => `${label} : unité`,

  lifetime: 'Expire',
  lifetimes: {
    1: 'Dans un jour',
    7: 'Dans 7 jours',
    30: 'Dans 30 jours',
    90: 'Dans 90 jours',
    365: 'Dans un an',
    day: 'À une date',
    never: 'Jamais',
  },
  lastDay: 'Dernier jour',
  worksUntil: (moment) => `Expire le ${moment}.`,

  pages: {
    files: 'Fichiers',
    recent: 'Récents',
    favorites: 'Favoris',
    shares: 'Partages',
    trash: 'Corbeille',
    overview: 'Vue d’ensemble',
    activity: 'Activité',
    security: 'Journal de sécurité',
    settings: 'Réglages',
    keys: 'Clés API',
    users: 'Utilisateurs',
    account: 'Compte',
  },
  themes: { system: 'Système', light: 'Clair', dark: 'Sombre' },
  visibility: { public: 'Public', private: 'Privé' },

  frame: {
    menu: 'Menu',
    navigation: 'Pages',
    search: 'Rechercher',
    skip: 'Aller au contenu',
    theme: 'Apparence',
    docs: 'Documentation',
    apiDocs: 'Référence de l’API',
  },

  account: {
    email: 'E-mail',
    name: 'Nom',
    password: 'Mot de passe',
    passwordHint: 'Au moins 8 caractères.',
    showPassword: 'Afficher le mot de passe',
    hidePassword: 'Masquer le mot de passe',
  },

  fieldProblems: {
    missing: 'Veuillez remplir ce champ.',
    email: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
    short: (length) => `Utilisez au moins ${length} caractères.`,
  },

  signIn: {
    title: 'Connexion',
    lead: 'Vos fichiers sont là où vous les avez laissés.',
    paused: 'Les importations sont en pause : connectez-vous pour continuer.',
    remember: 'Rester connecté sur cet appareil',
    submit: 'Se connecter',
    disabled: 'Ce compte est désactivé. Demandez à un administrateur.',
    wrong: 'L’e-mail ou le mot de passe est incorrect.',
    dropped: (isHttp) =>
      `Votre navigateur n’a pas gardé la connexion. ${isHttp ? 'Ouvrez l’adresse https de ce serveur' : 'Autorisez les cookies ici'}, puis réessayez.`,
    lost: 'Mot de passe oublié ?',
    lostMember:
      'Demandez à un administrateur de ce serveur. Il peut vous en donner un nouveau sur la page « Utilisateurs ».',
    lostAdmin:
      'Vous êtes le seul administrateur ? Arrêtez le serveur et exécutez ceci sur sa machine, depuis les sources :',
    lostBinary: 'Ou avec le programme :',
  },

  addressNotice: {
    title: 'Ce serveur n’est pas configuré pour cette adresse',
    text: (origin) =>
      `Il refuse les modifications venant de ${origin}. Ajoutez cette ligne à son environnement et redémarrez-le :`,
    line: 'Ligne à ajouter',
    elsewhere: 'Si BASE_URL est déjà définie, ouvrez le tableau de bord à cette adresse.',
  },

  notFound: {
    title: 'Introuvable',
    lead: 'Cette page n’existe pas',
    text: 'Elle a peut-être été déplacée, ou vous n’y avez pas accès.',
    home: 'Aller à la page d’accueil',
    folder: 'Dossier introuvable',
    files: 'Aller à vos fichiers',
  },

  errors: {
    title: 'Un problème est survenu',
    chunk: 'Cette page n’a pas pu être chargée. Réessayez, ou rechargez si Holdfast a été mis à jour.',
    commonPassword: 'Ce mot de passe est très courant. Choisissez-en un autre.',
    copy: 'Votre navigateur n’a pas autorisé la copie. Sélectionnez le texte et copiez-le vous-même.',
    disk: (code) => `Le disque du serveur a refusé (${code}). Demandez à un administrateur.`,
    forbidden: 'Votre compte n’y est pas autorisé. Demandez à un administrateur.',
    full: 'Le disque du serveur est plein. Demandez à un administrateur.',
    origin: (origin) =>
      `Ce serveur n’est pas configuré pour ${origin}. Définissez BASE_URL=${origin} et redémarrez-le.`,
    names: {
      taken: (name) => `« ${name} » existe déjà dans ce dossier.`,
      signs: 'Un nom ne peut contenir ni « / », ni « \\ », ni saut de ligne.',
      dots: 'Un nom ne peut pas être « . » ou « .. ».',
      long: 'Ce nom est trop long.',
    },
    signedOut: 'Votre session est terminée. Reconnectez-vous.',
    manyFavorites: (most) => `Vous avez déjà ${most} favoris. Retirez-en d’abord quelques-uns.`,
    gone: 'Cela n’existe plus.',
    tooLarge: (most) => `Le fichier dépasse le maximum de ${most}.`,
    tooMany: (seconds) => `Trop de requêtes en une minute. Réessayez dans ${secondsOf(seconds)}.`,
    offline: 'Le serveur est injoignable. Reconnexion automatique…',
    tooManyTitle: 'Trop de requêtes',
    tooManyRetry: (seconds) =>
      `Le serveur limite les requêtes par minute. Cette page se recharge dans ${secondsOf(seconds)}.`,
    unexpected: 'Un problème est survenu sur le serveur. S’il persiste, consultez son journal.',
    unreachable: 'Le serveur est injoignable. Vérifiez votre connexion et réessayez.',
  },

  kinds: {
    all: 'Tous les types',
    image: 'Images',
    video: 'Vidéos',
    audio: 'Audio',
    document: 'Documents',
    archive: 'Archives',
    code: 'Code et données',
    other: 'Autres',
  },

  files: {
    root: 'Fichiers',
    yours: 'Vos dossiers',
    notLetIn: 'Aucun dossier pour l’instant',
    askToBeLetIn: (admin = 'un administrateur de ce serveur') => `Demandez l’accès à un dossier à ${admin}.`,
    noneToShare: 'Vous ne pouvez pas tous les partager',
    folder: 'Dossier',
    actions: 'Actions',
    actionsOf: (name) => `Actions pour ${name}`,
    breadcrumb: 'Dossiers parents',
    clearSelection: 'Effacer la sélection',
    columns: { name: 'Nom', size: 'Taille', updatedAt: 'Modifié', visibility: 'Visibilité' },
    contents: 'Fichiers et dossiers',
    copyLink: 'Copier le lien',
    create: 'Créer le dossier',
    curlLabel: 'Commande qui importe un fichier',
    delete: 'Supprimer',
    deleted: (what) => `${what} : suppression définitive terminée`,
    deleteForGood: 'Supprimer définitivement',
    deleting: (what) => `Suppression définitive de ${what}`,
    details: 'Détails',
    download: 'Télécharger',
    downloadFailed: 'Le téléchargement n’a pas commencé. Réessayez.',
    severalDownloads: (count) =>
      `${count} téléchargements commencés, un par dossier. Votre navigateur peut demander s’il doit en autoriser plusieurs.`,
    tooManyToDownload: (most, count) =>
      `Vous avez sélectionné ${formatNumber(count)} fichiers, mais une archive en contient au plus ${formatNumber(most)}. Sélectionnez-en moins, ou tout le dossier.`,
    dropHere: 'Déposez des fichiers ou des dossiers n’importe où dans cette fenêtre, ou choisissez-les.',
    empty: 'Rien ici pour l’instant',
    emptyFolder: 'Ce dossier est vide',
    first: 'Importez votre premier fichier',
    grid: 'Grille',
    kind: 'Type',
    layout: 'Disposition',
    linkCopied: 'Lien copié',
    list: 'Liste',
    loadRest: 'Charger le reste',
    loadingMore: (shown) => `${shown} pour l’instant, la suite arrive…`,
    makePrivate: 'Rendre privé',
    makePublic: 'Rendre public',
    move: 'Déplacer',
    moving: (what) => `Déplacement de ${what}`,
    moved: (what, where) => `${what} : déplacement vers ${where || 'Fichiers'} terminé`,
    new: 'Nouveau',
    newFolder: 'Nouveau dossier',
    newName: (name) => `Nouveau nom de ${name}`,
    noMatch: 'Aucun résultat dans ce dossier',
    order: 'Ordre',
    orders: {
      'name-ASC': 'Nom, de A à Z',
      'name-DESC': 'Nom, de Z à A',
      'updatedAt-DESC': 'Récents d’abord',
      'updatedAt-ASC': 'Anciens d’abord',
      'size-DESC': 'Plus gros d’abord',
      'size-ASC': 'Plus petits d’abord',
    },
    makeKey: 'Créer une clé',
    orCurl: 'Ou depuis un terminal, avec une clé API dans $KEY.',
    pdfPage: (number, count) => `Page ${number} sur ${count}`,
    preview: 'Ouvrir',
    privateLinkCopied: 'Lien copié. Le fichier est privé, le lien ne s’ouvre donc que pour les utilisateurs.',
    quoted: (name) => `« ${name} »`,
    rename: 'Renommer',
    replace: 'Remplacer',
    requestFiles: 'Demander des fichiers',
    search: 'Rechercher dans ce dossier',
    select: (name) => `Sélectionner ${name}`,
    selectAll: 'Tout sélectionner',
    selected: (what) => `Sélection : ${what}`,
    selection: 'Sélection',
    share: 'Partager',
    notDeleted: (what, reason) => `Suppression impossible (${what}) : ${reason}`,
    settingVisibility: (what, visibility) => `Passage en ${visibility} de ${what}`,
    someNotMoved: (what, reason) => `Déplacement impossible (${what}) : ${reason}`,
    upload: 'Importer',
    uploadFolder: 'Importer un dossier',
    visibilityFailed: (what, reason) => `Modification impossible (${what}) : ${reason}`,
    visibilitySet: (what, visibility) => `${what} : désormais ${visibility}`,
  },

  bulk: {
    canceled: (done, left) => {
      const others =
        left === 1
          ? 'l’autre élément reste tel quel'
          : `les ${formatNumber(left)} autres éléments restent tels quels`
      return done === '' ? 'Annulé. Rien n’a changé.' : `${done}. Annulé : ${others}.`
    },
    ending: (progress) => (progress === '' ? 'Arrêt…' : `${progress} · Arrêt…`),
    progress: (done, total) => `${formatNumber(done)} sur ${formatNumber(total)}`,
    waiting: (seconds) => `Le serveur limite les requêtes par minute. Reprise dans ${secondsOf(seconds)}.`,
  },
}
