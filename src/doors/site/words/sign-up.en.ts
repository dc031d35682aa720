/** The page on which visitors create an account. */
export const signUpEn = {
  title: "Sign up",
  text: "Enter your email address. You will get a link for choosing a password and getting your first key, on the Test plan.",
  sent: "An email is on its way to this address. Its link works once, within a day.",
  send: "Send the link",
  haveOne: "Already have an account?",
  finish: "Your account",
  finishText: (email: string) => `For ${email}.`,
  organizationName: "Your organization or project",
  make: "Create account",
  keyName: "First key",
  linkUsed:
    "This link is not valid: it has been used or is older than a day, or you already have an account here. Sign in, or ask for a new link.",
  again: "Get a new link",
  made: "Your account was created, and you are signed in.",
};

export type SignUpWords = typeof signUpEn;
