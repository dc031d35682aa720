import maxAdmin from "./max-admin.svg" with { type: "file" };
import maxMake from "./max-make.svg" with { type: "file" };
import telegramAdmin from "./telegram-admin.svg" with { type: "file" };
import telegramMake from "./telegram-make.svg" with { type: "file" };

/** Drawings that show how to create a bot and add it to a channel. */
export const sourcePictures: Readonly<Record<string, string>> = {
  "max-admin.svg": maxAdmin,
  "max-make.svg": maxMake,
  "telegram-admin.svg": telegramAdmin,
  "telegram-make.svg": telegramMake,
};
