import maxAdmin from "./max-admin.svg" with { type: "file" };
import maxMake from "./max-make.svg" with { type: "file" };
import telegramAdminRu from "./telegram-admin.ru.svg" with { type: "file" };
import telegramAdmin from "./telegram-admin.svg" with { type: "file" };
import telegramMake from "./telegram-make.svg" with { type: "file" };

/**
 * Drawings that show how to create a bot and add it to a channel. The site shows the one in the reader's
 * language, if there is one.
 */
export const sourcePictures: Readonly<Record<string, string>> = {
  "max-admin.svg": maxAdmin,
  "max-make.svg": maxMake,
  "telegram-admin.svg": telegramAdmin,
  "telegram-admin.ru.svg": telegramAdminRu,
  "telegram-make.svg": telegramMake,
};
