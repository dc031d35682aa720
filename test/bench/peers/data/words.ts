/** Words for titles and texts, frequent ones first. */

const words = (text: string): string[] => text.trim().split(/\s+/);

export const RUSSIAN_NOUNS = words(`
  новости канал клуб блог мир дом жизнь работа школа город бизнес деньги игры музыка кино книги
  спорт наука история люди семья дети здоровье красота мода путешествия рецепты кухня авто ремонт
  стройка недвижимость финансы инвестиции крипта рынок вакансии скидки магазин товары подарки юмор
  мемы цитаты факты мысли психология отношения мотивация саморазвитие обучение курсы английский
  программирование разработка дизайн маркетинг реклама продажи стартапы технологии гаджеты телефоны
  компьютеры интернет безопасность космос физика математика химия биология медицина врачи питание
  фитнес бег йога футбол хоккей шахматы бокс рыбалка охота животные кошки собаки природа погода
  экология садоводство огород дача цветы рукоделие вязание шитьё искусство живопись театр фото видео
  архитектура литература поэзия философия религия православие политика экономика право законы налоги
  бухгалтерия логистика транспорт поезда самолёты корабли оружие армия флот туризм горы море пляж
  отели рестораны кофе чай вино пиво сыр хлеб шоколад ёлка ёжик счёт расчёт отчёт полёт мёд лёд
  зачёт учёт самолётик подъём объявления подслушано афиша события концерты выставки фестивали
  ярмарка барахолка доставка такси аренда ипотека кредиты банки страхование биржа облигации акции
  трейдинг аналитика прогнозы статистика данные нейросети роботы автоматизация электроника
  радиолюбители мастерская инструменты мебель интерьер уборка лайфхаки воспитание беременность
  роддом педагогика логопед репетитор экзамены олимпиады студенты университет диссертация грамматика
  лингвистика переводчик журналистика подкасты расследования хроника летопись краеведение археология
  нумизматика филателия геральдика генеалогия фольклор мифология эзотерика астрология таро гороскоп`);

export const RUSSIAN_ADJECTIVES = words(`
  новый лучший полезный русский большой главный домашний бесплатный умный московский интересный
  простой настоящий вечерний свежий личный честный весёлый зелёный чёрный тёмный тёплый дешёвый
  народный городской деловой финансовый цифровой научный популярный быстрый вкусный детский женский
  мужской семейный здоровый красивый модный северный южный сибирский уральский казанский питерский
  волжский дальневосточный кавказский независимый официальный закрытый секретный тихий громкий
  странный смешной грустный вечный последний первый второй третий золотой серебряный железный
  каменный деревянный хрустальный бархатный космический подводный подземный воздушный`);

export const ENGLISH_WORDS = words(`
  news live club blog world life work school city money games music cinema books sport science
  history people family kids health beauty fashion travel food kitchen auto repair estate finance
  invest crypto market jobs sale shop store gifts humor memes quotes facts mind love motivation
  learning course english code dev design marketing ads startup tech gadgets mobile computer web
  security space physics math chemistry biology medicine doctor fitness running yoga football hockey
  chess boxing fishing hunting animals cats dogs nature weather garden flowers craft art theatre
  photo video architecture poetry philosophy politics economy law tax logistics trains planes ships
  army navy tourism mountains sea beach hotel coffee tea wine beer cheese chocolate events concerts
  festival delivery taxi rent credit bank exchange bonds stocks trading analytics data neural robots
  python javascript rust golang linux android kubernetes devops frontend backend channel daily weekly
  official top best free pro plus online today insider digest review lab studio hub zone point
  planet galaxy quantum crystal phoenix dragon falcon thunder velvet obsidian labyrinth zeppelin`);

export const CITIES = words(`
  Москва Петербург Казань Новосибирск Екатеринбург Самара Омск Челябинск Ростов Уфа Красноярск Пермь
  Воронеж Волгоград Краснодар Саратов Тюмень Тольятти Ижевск Барнаул Ульяновск Иркутск Хабаровск
  Ярославль Владивосток Махачкала Томск Оренбург Кемерово Рязань Астрахань Пенза Липецк Тула Киров
  Чебоксары Калининград Брянск Курск Иваново Магнитогорск Тверь Сочи Белгород Владимир Архангельск
  Калуга Сургут Смоленск Орёл Череповец Мурманск Вологда Королёв Псков Абакан Норильск Элиста`);

/** Syllables of names that hardly any two channels share. */
export const SYLLABLES = words(`
  ва ко ми ра ни ле то са ку ши бо де га лю зе ро пи на ту хо фе ры жо мя цы чу щё ян эр ус ил ам от
  ен ов ин ак ел ор ур ыш яр юм`);

export const LATIN_SYLLABLES = words(`
  va ko mi ra ni le to sa ku shi bo de ga lu ze ro pi na tu ho fe ry jo mya cy chu yan er us il am
  ot en ov in ak el or ur`);
