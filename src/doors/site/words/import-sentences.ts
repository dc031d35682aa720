/** What imports say in English of rows and files, with their values in the places of the groups. */
export const IMPORT_SENTENCES: readonly [RegExp, string][] = [
  [/^This field is required for a new channel\.$/, "Для нового канала это поле нужно заполнить."],
  [/^A valid number is required\.$/, "Введите число."],
  [/^Must be a valid boolean\.$/, "Введите true или false."],
  [/^Not a valid string\.$/, "Введите текст."],
  [/^"(.*)" is not a valid choice\. Allowed: (.+)\.$/s, "Значения «$1» нет. Возможны: $2."],
  [
    /^Enter a code of lower-case letters, digits, hyphens and underscores\.$/,
    "Введите код из строчных латинских букв, цифр, дефисов и подчёркиваний.",
  ],
  [/^"(.*)" is not a code\.$/s, "«$1» — не код."],
  [
    /^Date has wrong format\. Use one of these formats instead: YYYY-MM-DD\.$/,
    "Введите день в виде YYYY-MM-DD.",
  ],
  [
    /^Datetime has wrong format\. Use ISO 8601 with an offset or Z, 1970 to 9999\.$/,
    "Введите время по ISO 8601 со смещением или Z, с 1970 по 9999 год.",
  ],
  [/^Enter a valid URL\.$/, "Введите правильный адрес."],
  [/^Enter a service number or an @handle\.$/, "Введите номер канала или @имя."],
  [/^There is no channel (.+)\.$/s, "Канала $1 нет."],
  [/^Give id, msgr_id or handle\.$/, "Укажите id, msgr_id или handle."],
  [/^Give id, or channel and msgr_post_id\.$/, "Укажите id или channel и msgr_post_id."],
  [/^Channel (\d+) has this number\.$/, "Этот номер у канала $1."],
  [/^Post (\d+) of the channel has this number\.$/, "Этот номер у поста $1 этого канала."],
  [/^"(.*)" is an address of the API\.$/s, "«$1» — адрес из API."],
  [/^The id of (\S+) is (\d+) and does not change\.$/, "Номер кода $1 — $2, он не меняется."],
  [/^The id (\d+) belongs to (\S+)\.$/, "Номер $1 принадлежит коду $2."],
  [/^A (\w+) needs a parent\.$/, "Для $1 нужна вышестоящая территория."],
  [/^A (\w+) cannot lie in a (\w+)\.$/, "$1 не может находиться в $2."],
  [/^A (\w+) cannot contain the (\w+) (\S+)\.$/, "$1 не может содержать $2 $3."],
  [
    /^A row of an uploaded file gives an image by its address, such as (\S+)\.$/,
    "В загруженном файле изображение задаётся адресом, например $1.",
  ],
  [
    /^The row has another number of cells than the header\.$/,
    "В строке не столько ячеек, сколько в заголовке.",
  ],
  [
    /^A quote stands within a cell that is not quoted: quote the cell and double the quote\.$/,
    "Кавычка внутри ячейки без кавычек: возьмите ячейку в кавычки, а эту кавычку удвойте.",
  ],
  [/^The line is not JSON\.$/, "Строка — не JSON."],
  [/^The line is not a JSON object\.$/, "Строка — не объект JSON."],
  [/^Unknown columns: (.+)\.$/s, "Неизвестные столбцы: $1."],
  [
    /^The header has unknown columns: (.+)\. Known: (.+)\.$/s,
    "В заголовке неизвестные столбцы: $1. Известны: $2.",
  ],
  [/^The header has the column (.+) twice\.$/s, "В заголовке столбец $1 стоит дважды."],
  [
    /^Line (\d+): the line is longer than (\d+) characters\. Mend .*$/,
    "Строка $1 длиннее $2 знаков. Исправьте её и загрузите файл снова; строки до неё могли быть загружены.",
  ],
  [
    /^Line (\d+): the row is longer than (\d+) characters; is a quote not closed\? Mend .*$/,
    "Строка $1 длиннее $2 знаков: не закрыта ли кавычка? Исправьте её и загрузите файл снова; строки до неё могли быть загружены.",
  ],
  [
    /^Line (\d+): a quote is opened and not closed\. Mend .*$/,
    "Строка $1: кавычка открыта и не закрыта. Исправьте её и загрузите файл снова; строки до неё могли быть загружены.",
  ],
  [
    /^Line (\d+): a quote within a quoted cell must be doubled\. Mend .*$/,
    "Строка $1: кавычку внутри ячейки в кавычках нужно удвоить. Исправьте её и загрузите файл снова; строки до неё могли быть загружены.",
  ],
  [/^(.+) is not UTF-8 \(line (\d+)\)\.$/s, "$1 не в UTF-8 (строка $2)."],
  [
    /^The file has no rows: replacing by it would remove all\.$/,
    "В файле нет строк: замена удалила бы всё.",
  ],
  [
    /^Nothing is removed, since rows were rejected\.$/,
    "Ничего не удалено, потому что есть отклонённые строки.",
  ],
  [/^(\S+) stays, since channels are in it\.$/, "$1 остаётся: в нём есть каналы."],
  [/^(\S+) stays, since others lie in it\.$/, "$1 остаётся: в нём есть другие территории."],
  [
    /^The import failed; the appliance's log says why\. What was read is imported\.$/,
    "Загрузка не удалась, причина в журнале установки. Прочитанное загружено.",
  ],
];
