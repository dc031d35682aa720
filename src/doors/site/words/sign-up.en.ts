/** The page on which visitors create an account. */
export const signUpEn = {
  title: "Sign up",
  text: "Enter your e-mail address. A mail comes with a link by which you choose a password and get a first key, on the plan Test.",
  sent: "A mail is on its way to this address. Its link works for a day, and once.",
  send: "Send the link",
  haveOne: "Have an account already?",
  finish: "Your account",
  finishText: (email: string) => `For ${email}.`,
  organizationName: "Your organization or project",
  make: "Create the account",
  keyName: "First key",
  linkUsed:
    "This link opens nothing: it was used already or is older than a day, or you have an account here. Sign in, or ask for a new link.",
  again: "A new link",
  made: "Your account is created, and you are signed in.",
};

export type SignUpWords = typeof signUpEn;
