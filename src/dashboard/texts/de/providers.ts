import type { providerTexts as English } from '../providers.ts'

export const providerTexts: typeof English = {
  failures: {
    state_mismatch: () =>
      'Die Anmeldung hat zu lange gedauert oder begann in einem anderen Browser. Versuchen Sie es erneut.',
    access_denied: (name) =>
      `${name} hat die Anmeldung nicht bestätigt, oder Sie haben sie abgebrochen. Versuchen Sie es erneut.`,
    invalid_code: (name) =>
      `Die Antwort von ${name} ließ sich nicht prüfen. Versuchen Sie es erneut. Hilft das nicht, sagen Sie es einem Admin: Der Grund steht im Protokoll des Servers.`,
    email_missing: (name) =>
      `${name} hat keine E-Mail-Adresse geschickt. Hinterlegen Sie dort eine, und versuchen Sie es erneut.`,
    email_not_verified: (name) =>
      `${name} bestätigt nicht, dass Ihre E-Mail-Adresse Ihnen gehört. Wenn Sie hier ein Konto haben, melden Sie sich mit Ihrem Passwort an, und verknüpfen Sie ${name} unter „Konto“. Sonst fragen Sie einen Admin.`,
    account_not_linked: (name) =>
      `Ihr Konto hier ist noch nicht mit ${name} verknüpft. Melden Sie sich mit Ihrem Passwort an, und verknüpfen Sie es unter „Konto“.`,
    account_already_linked: (name) =>
      `Eines der beiden Konten ist schon mit einem anderen verknüpft. Lösen Sie das zuerst, oder nehmen Sie ein anderes Konto bei ${name}.`,
    signup_disabled: () => 'Sie haben hier noch kein Konto. Bitten Sie einen Admin um eines.',
    not_in_group: (name) => `Ihre Gruppen bei ${name} geben Ihnen keinen Zugriff. Fragen Sie einen Admin.`,
    account_disabled: () => 'Dieses Konto ist deaktiviert. Fragen Sie einen Admin.',
    provider_unavailable: (name) =>
      `${name} ist nicht erreichbar. Versuchen Sie es bald erneut, oder melden Sie sich anders an.`,
  },
  or: 'oder',
  forwarded: 'Mit der Anmeldung am Proxy fortfahren',
  with: (name) => `Mit ${name} anmelden`,
  signOutToo: (name) => `Auch bei ${name} abmelden`,
  provider: 'dem Anbieter',

  link: {
    title: 'Single Sign-on',
    lead: 'Konten anderswo, mit denen Sie sich hier anmelden.',
    is: (name) => `Mit ${name} melden Sie sich an diesem Konto an.`,
    isNot: (name) => `${name} ist nicht mit diesem Konto verknüpft.`,
    link: (name) => `${name} verknüpfen`,
    unlink: (name) => `Verknüpfung mit ${name} lösen`,
    unlinked: (name) => `Mit ${name} können Sie sich nicht mehr anmelden`,
    linked: (name) =>
      `Ihr Konto wurde mit ${name} verknüpft, weil beide dieselbe E-Mail-Adresse haben. Unter „Konto“ können Sie das lösen.`,
  },

  settings: {
    title: 'Single Sign-on',
    lead: 'Eingestellt durch die Variablen, die mit OIDC_ beginnen.',
    redirect: 'Redirect-Adresse, für den Client beim Anbieter',
    issuer: 'Aussteller',
    try: 'Testen',
    works: (name) => `Holdfast hat ${name} erreicht. Die Metadaten sind wie erwartet.`,
    guide: 'So wird es eingerichtet',
  },

  linkPage: {
    title: 'Mit einem Link anmelden',
    lead: 'Jemand, der diesen Server betreibt, hat diesen Link für Sie erstellt. Er funktioniert einmal.',
    submit: 'Anmelden',
    other: 'Anders anmelden',
  },
}
