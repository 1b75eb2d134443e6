import type { registerTexts as English } from '../register.ts'

export const registerTexts: typeof English = {
  title: 'Bienvenue chez vous',
  lead: 'Le compte que vous créez maintenant est administrateur. Vous pourrez en ajouter d’autres plus tard.',
  submit: 'Créer le compte administrateur',
  newFiles: 'Les nouveaux fichiers sont',
  newFilesAre: {
    private:
      'Seules les personnes ayant un compte peuvent les ouvrir. Vous pouvez partager des fichiers par lien.',
    public:
      'Toute personne qui a le lien d’un fichier, ou le devine, peut l’ouvrir. Idéal pour un site web ou des téléchargements.',
  },
  newFilesLater: 'Vous pouvez changer cela dans les réglages, et pour chaque fichier.',
  newFilesFailed:
    'Votre compte est prêt, mais les nouveaux fichiers sont encore publics. Rendez-les privés dans les réglages avant d’importer.',
  token: 'Jeton d’installation',
  tokenHint: 'La valeur de SETUP_TOKEN, ou le jeton que le serveur a affiché au démarrage.',
}
