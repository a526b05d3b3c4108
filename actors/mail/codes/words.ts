/**
 * Words in the languages of mail, by what they tell about a number or a link beside them. All are in lower case.
 *
 * - `…*` matches any ending, and `*…` any beginning, as in compounds. With `…~` the kind of the word's ending takes
 *   precedence.
 * - The longest match counts, so that "zip code" is not a code.
 * - Scripts without spaces are matched anywhere.
 */
import { vocabulary } from "./vocabulary.ts"

/**
 * - `code`: a code for signing in. `verify`: its purpose. `enter`: the request to type it.
 * - `label`: the number of something else. `noun`: something that has its own number.
 * - `promo`: a discount code. `unit`: follows an amount. `ending`: precedes the last digits of a card.
 */
export type NumberWord = "code" | "verify" | "enter" | "label" | "noun" | "promo" | "unit" | "ending"

export const NUMBER_WORDS = vocabulary<NumberWord>({
  code: `
    code, codes, passcode*, otp, otps, pin, one-time password, one time password, one-time pin, onetime password, security key,
    temporary password, verification number, access key, 2fa, totp, passkey code
    *code, *codes, *kennwort, einmalpasswort, einmalkennwort, einmal-passwort, mtan, smstan, pushtan, tan lautet, tan:, tan ist, *pin
    code*, mot de passe à usage unique, mot de passe temporaire, mot de passe unique
    código*, codigo*, clave de un solo uso, clave temporal, contraseña de un solo uso, clave de acceso, clave dinámica
    codice, codici, password monouso, password temporanea
    senha de uso único, senha temporária, senha única, palavra-passe de utilização única, chave de acesso
    eenmalig wachtwoord, tijdelijk wachtwoord, *pincode
    kod, kodu, kodem, kody, kodzie, hasło jednorazowe, hasła jednorazowego, jednorazowe hasło
    код, кода, кодом, коду, коды, кодов, пин-код*, пароль для входа, одноразовый пароль, одноразового пароля, пароль:, одноразовым паролем
    kodunuz*, kodunu, kodun, kodumuz, tek kullanımlık şifre*, tek kullanımlık parola*, geçici şifre*, şifreniz:, kodları, kodlar
    認証コード, 確認コード, 認証番号, 確認番号, ワンタイムパスワード, 暗証番号, コード, セキュリティコード, ログインコード, パスコード, 本人確認コード
    验证码, 校验码, 動態密碼, 动态密码, 驗證碼, 確認碼, 确认码, 一次性密码, 一次性密碼, 动态码, 安全码, 登录码, 认证码, 口令, 激活码, 识别码
    인증번호, 인증코드, 인증 번호, 인증 코드, 확인 코드, 보안 코드, 일회용 비밀번호, 로그인 코드, 코드
    kode, koden, kodeord til engangsbrug, engangskode*, engångskod*, *koden, *kod, *kode, kodo, koodi, *koodi, vahvistuskoodi*
    mã xác, mã otp, mã, kód, kódu, kódem, kódot, kódja, cod, codul, codului, parola unică, κωδικός, κωδικό, קוד, רמז, رمز, كود, کد, रकोड, कोड, ओटीपी, รหัส, kode otp, otp anda`,
  verify: `
    verif~, confirm, confirming, confirms, sign in, signing in, sign-in, log in, login, logging in, log-in, sign up, two-factor,
    two-step, authenticat~, identity, security, sign-up, activate, one-time, unlock, reset
    bestätig~, verifizier~, anmeld~, anzumeld~, einzulogg~, einlogg~, login~, registrier~, sicherheits~, freischalt~, identität, zwei-faktor~
    vérif~, confirmer, confirmez, connexion, connecter, connectez, authentifi~, sécurité, identité, identifier
    verific~, confirmar, confirme, confirma, iniciar sesión, inicio de sesión, acceso, acceder, autentic~, seguridad, identidad
    confermare, conferma, accesso, accedere, accedi, identità, sicurezza, autenticazione
    acesso, acessar, entrar, segurança, autenticação, identidade, iniciar sessão
    bevestig~, verifi~, inlog~, aanmeld~, anzumeld~, einzulogg~, beveiliging~, identiteit, in te loggen
    potwierd~, zweryfik~, weryfik~, zalogow~, logowani~, autoryzac~, tożsamoś~, bezpieczeństw~
    подтвержд~, подтверд~, вход, входа, войти, авториз~, проверк~, провероч~, регистрац~, безопасност~
    doğrula~, onayla~, onay, giriş~, oturum~, güvenlik, kimli~
    認証, 確認, ログイン, サインイン, 本人確認, 登録, 验证, 驗證, 登录, 登入, 登錄, 注册, 註冊, 确认, 身份, 인증, 로그인, 확인`,
  enter: `
    enter, entering, use, type, copy, paste, input, using, submit, provide
    eingeben, geben sie, gib, verwende~, nutze~, tippe~, saisi~, entrez, utilisez, tapez, introdu~, ingres~, usa, utiliza, utilice, escribe, teclea
    inseri~, digita, utilizza, insira, digite, utilize, use o, voer, vul, gebruik, toets, wpisz, użyj, podaj, wprowadź
    введите, используйте, укажите, girin, girerek, kullanın, yazın, 入力, 输入, 輸入, 请使用, 입력`,
  label: `
    zip code*, postal code*, post code*, postcode*, area code*, country code*, dialing code*, error code*, status code*, exit code*, source code,
    code review*, dead code, lines of code, legacy code, code coverage, code of conduct, product code*, item code*, booking code*, reservation code*, tracking code*, qr code*, qr-code*, bar code*,
    barcode*, dress code, morse code, swift code, sort code*, iban, bic, code base, codebase, visual studio code, vs code, code freeze, code name*, tax code*, building code*,
    order number, order no, order id, order ref*, order #, invoice number, invoice no, invoice id, invoice #, tracking number, tracking no, tracking id,
    ticket number, ticket no, ticket id, ticket #, case number, case id, case #, reference*, ref, booking number, booking id, booking ref*, confirmation number,
    reservation number, reservation id, customer number, customer id, customer no, account number, account no, account id, member number, membership number, member id, merchant id, policy number,
    transaction id, transaction number, receipt number, receipt no, receipt #, request id, serial number, part number, phone number*, phone, tel, telephone, call us, call, fax, mobile,
    license key, product key, license number, licence number, registration number, company number, company no, vat*, po box, p.o. box, flight number, record locator, sku, user id, message id, build, version, release, contract number, application number, claim number, number:, meter number,
    *nummer, *nr, nr, telefon*, hotline, fehlercode*, buchungscode*, postleitzahl, plz, steuernummer, ust-idnr, hrb, artikelnr, aktenzeichen, quellcode, statuscode*, ländercode, vorgang, zeichen, rufen, anrufen, kundennr, handynummer, id,
    code postal, code de réservation, code erreur, code d'erreur, code barres, code source, numéro*, n°, no, référence*, téléphone*, tél, siret, siren, rcs, dossier, appelez, code article, code client, code de suivi, code pays
    código postal, código de reserva, código de error, código de seguimiento, código de barras, código de cliente, código fuente, número*, teléfono, tfno, referencia*, expediente, localizador, nif, cif, llame, llámanos, código de producto
    codice fiscale, codice cliente, codice prenotazione, codice di prenotazione, codice errore, codice prodotto, codice postale, codice ordine, codice pratica, cap, numero, riferimento, telefono, partita iva, p.iva, codice di tracciamento, codice articolo, matricola, pratica n
    código de rastreio, código de rastreamento, código de erro, código do produto, cep, telefone, protocolo, nota fiscal, cnpj, cpf, nif:, localizador:, código da reserva, código do cliente, ligue
    boekingscode*, foutcode*, broncode, telefoon, bel, kvk, btw, referentie*, kenmerk, klantnr, ordernr, landcode, streepjescode
    kod pocztowy, kod błędu, kod produktu, kod rezerwacji, numer*, tel., telefon, nip, regon, krs, infolinia, kod kreskowy, zadzwoń, kod klienta, sygnatura
    код бронирования, код ошибки, код товара, код города, код страны, почтовый индекс, индекс, штрихкод*, штрих-код*, номер, номера, номером, артикул, телефон*, тел, инн, огрн, кпп, звоните, исходный код, трек-номер*, трек-код, трек, обращение
    posta kodu, rezervasyon kodu, hata kodu, ürün kodu, takip kodu, kargo kodu, numara*, telefon, sipariş no, fatura no, takip no, referans*, müşteri no, vergi no, mersis, kaynak kodu, pnr, no:, şube kodu, ülke kodu, barkod*
    注文番号, 予約番号, お問い合わせ番号, 伝票番号, 追跡番号, 受付番号, 会員番号, お客様番号, 郵便番号, 電話番号, 電話, 請求書番号, 商品コード, エラーコード, qrコード, 国コード, ソースコード, 店舗コード, 登録番号, 管理番号, 契約番号, バーコード, 品番, 型番, 確認番号（予約）, 便名, 口座番号, 整理番号
    订单号, 订单编号, 訂單編號, 訂單號, 运单号, 快递单号, 单号, 发票号, 发票号码, 邮编, 郵遞區號, 电话, 電話, 热线, 客服, 编号, 流水号, 错误代码, 源代码, 卡号, 账号, 会员号, 工单号, 房间号, 航班号, 二维码, 条形码, 产品编码, 手机号, 案件编号, 預訂編號, 备案号, 账户
    주문번호, 주문 번호, 송장번호, 운송장, 예약번호, 고객번호, 전화, 우편번호, 사업자등록번호, 고객센터, 오류 코드
    ordrenummer*, *nummer, *numret, tilausnumero, ordernummer*, telefonnummer, postnummer, číslo, rendelésszám, comanda nr, nomor, số điện thoại, đơn hàng`,
  noun: `
    order*, invoice*, booking, bookings, reservation, ticket, flight, shipment*, parcel, package, account, customer, member, receipt, transaction*, case, issue, pull request, gate, seat, room, page, suite, box, payment, statement, itinerary, card, stay, trip, delivery, street, bill, claim*, article, section, branch, port, chapter, bulletin, unit, lot, session, device
    bestellung*, rechnung*, buchung*, sendung*, paket*, konto, kunde, kunden*, flug, zahlung*, karte, reise, lieferung*, zimmer, vertrag*, artikel, abschnitt, filiale, raum, saal, seite, antrag*
    commande*, facture*, réservation*, colis, vol, compte, client, paiement, carte, livraison*, billet*, contrat, virement, salle, chambre, article
    pedido*, factura*, reserva*, envío*, paquete, vuelo, cuenta, cliente, pago, tarjeta, billete*, entrega, contrato, artículo, sala, página, solicitud
    ordine, fattura, prenotazione, spedizione, pacco, volo, conto, pagamento, carta, biglietto, consegna, bolletta, articolo, sala, pagina, richiesta
    encomenda, fatura*, envio, voo, conta, pagamento, cartão, bilhete, compra
    bestelling*, factuur, boeking*, pakket*, zending, vlucht, rekening, betaling, klant, pas, levering, artikel, zaal, pagina, aanvraag
    zamówieni*, faktur*, rezerwac*, przesył*, paczk*, lot, konto, płatnoś*, kart*, rachun*, umow*, artykuł*, sala, stron*, wniosek
    заказ*, счёт*, счет*, брон*, посылк*, рейс*, квитанц*, платёж*, платеж*, карт*, договор*, отправлени*, стать*, страниц*, кабинет*, зал*
    sipariş*, fatura*, rezervasyon*, kargo, gönderi*, uçuş, hesap, ödeme, kart*
    注文, 請求, 予約, 荷物, 配送, 便, 領収書, 订单, 訂單, 发票, 航班, 快递, 包裹, 账单, 预订, 酒店, 주문, 예약, 배송`,
  promo: `
    promo*, discount*, coupon*, voucher*, gift card*, giftcard*, gift code*, checkout, referral code*, referral*, % off, off your, off, sale, redeem*, use code at, save up, invite code*, gift
    gutschein*, rabatt*, aktionscode*, sparen, einlösen, geschenkkarte*, empfehlungscode*, vorteilscode*, prozente
    code promo*, code de réduction, code promotionnel, code cadeau, réduction*, remise, code parrain*, bon d'achat, carte cadeau, soldes, code avantage, bon de réduction
    código promocional, código de descuento, descuento*, cupón*, tarjeta regalo, rebajas, código de regalo, código amigo
    codice sconto, codice promozionale, codice promo, sconto, buono*, coupon, saldi, carta regalo, codice amico
    desconto*, cupom*, cupão, vale-presente, promoç*, código de desconto, código promocional
    kortingscode*, actiecode*, korting*, cadeaubon*, cadeaukaart, waardebon, vriendencode
    kod rabatowy, kodem rabatowym, rabat*, kupon*, zniżk*, kod promocyjny, karta podarunkowa, promocj*
    промокод*, скидк*, купон*, акци*, распродаж*, подарочн*, бонус*, промо*
    indirim*, kupon*, promosyon*, hediye*, kampanya*, fırsat*
    クーポン*, 割引, セール, ギフト, 招待コード, キャンペーンコード, ポイント, お得
    优惠码, 优惠券, 折扣, 折扣码, 优惠, 兑换码, 礼品卡, 邀请码, 立减, 優惠, 折扣碼, 쿠폰, 할인`,
  unit: `
    minute*, mins, min, hour*, hrs, day*, second*, secs, week*, month*, year*, people, points, pts, miles, followers, members, users, items, pieces, views, likes, credits, steps, kcal, calories, times, commits, stars, downloads, messages, emails, words, lines, kg, km, gb, mb, tb, kwh, m², sqm, °c, coins, gems, xp, developers, customers, participants, companies, jobs, new, more, other, inr, rs, aud, cad, mxn
    minuten, stunden, stunde, tage, tagen, wochen, monate, jahre, punkte, meilen, euro, eur, usd, gbp, chf, pln, sek, nok, dkk, czk, try, tl, rub, jpy, cny, brl, uhr, personen, mitglieder, kunden, schritte, cent, stück
    heures, jours, semaines, mois, ans, années, points, personnes, abonnés, secondes, pas, membres
    minutos, horas, días, dias, semanas, meses, años, anos, puntos, millas, personas, euros, pontos, pessoas, dólares, pesos, reais, pasos, milhas
    minuti, ore, giorni, settimane, mesi, anni, punti, miglia, persone, passi
    minuten, uur, dagen, weken, maanden, jaar, punten, personen, stappen
    minut*, godzin*, dni, tygodni*, miesi*, lat, punkt*, zł, osób, kroków
    минут*, час, часа, часов, дней, дня, недел*, месяц*, лет, год*, балл*, руб*, человек, шагов, миль, мин, г
    dakika*, saat*, gün*, hafta, ay, yıl, puan*, lira, kişi, mil, adım, tl'lik
    分, 時間, 日, 年, 月, 円, 点, 人, 個, 件, 秒, 名, 歩, 回, ポイント, マイル, 万, 分钟, 分鐘, 小时, 小時, 天, 元, 块, 个, 條, 条, 次, 步, 积分, 米, 公里, 号楼, 년, 월, 일, 분, 시간, 원, 명, 개`,
  ending: `
    ending in, ending with, ending, ends in, ends with, last four digits, last 4 digits, last four, last 4
    endet auf, endend auf, endziffern, endnummer, mit den endziffern, letzten vier ziffern, se terminant par, finissant par, terminant par, qui se termine par, derniers chiffres
    terminada en, que termina en, terminado en, acabada en, terminación, últimos 4 dígitos, che termina con, che finisce con, con finale, ultime cifre, termina con, terminante con
    com final, final, terminado em, terminada em, que termina em, eindigend op, eindigt op, laatste vier cijfers, kończąca się na, kończącą się na, końcówce, kończącej się na, ostatnie cyfry
    оканчива*, заканчива*, последние цифры, с окончанием, son dört hanesi, son 4 hanesi, ile biten, sonu, 末尾, 下4桁, 下四桁, 下４桁, 尾号, 末四位, 尾號, 끝자리`
})

/**
 * `password` and `renew` together mean a link to reset a password. `leave` and `confirm` together mean a link to
 * unsubscribe. `generic`: the word does not name the link's purpose.
 */
export type LinkWord = "unsubscribe" | "leave" | "password" | "renew" | "confirm" | "login" | "generic"

export const LINK_WORDS = vocabulary<LinkWord>({
  unsubscribe: `
    unsubscribe*, unsubscription*, opt out, opt-out, optout, stop receiving, no longer wish, no longer want, stop these emails, don't want to receive, remove me, rather not receive, turn off these emails, unfollow this, mute this
    abmelden newsletter, abbestell*, newsletter abmelden, vom newsletter abmelden, vom newsletter, newsletter-abmeldung, abmeldelink, keine e-mails mehr, keine weiteren e-mails, austragen, abmeldung, keinen newsletter mehr
    désabonn*, désinscri*, se désabonner, ne plus recevoir, darse de baja, date de baja, dar de baja, cancelar suscripción, cancelar la suscripción, cancelar tu suscripción, baja, no recibir más, dejar de recibir, anular suscripción, no desea recibir, no quieres recibir
    disiscri*, annulla iscrizione, annulla l'iscrizione, cancellati, cancella iscrizione, cancella l'iscrizione, non ricevere più, non desideri più ricevere, cancellare l'iscrizione, cancelar inscrição, cancelar a inscrição, cancelar subscrição, cancelar a subscrição, descadastr*, deixar de receber, anular subscrição, não quer mais receber, não deseja receber, cancelar assinatura
    uitschrijv*, schrijf je uit, schrijf u uit, afmelden, meld je af, geen e-mails meer, geen mails meer, wypisz*, zrezygnuj*, rezygnacj*, anuluj subskrypcję, nie chcesz otrzymywać, wypisać
    отписа*, отпис*, отказаться от рассылки, не получать, abonelikten*, aboneliğ*, listeden çık*, almak istemiyorsanız, üyelikten çık*, e-posta almak istemiyor*
    配信停止, 購読解除, 登録解除, 購読停止, 配信を停止, メール配信の停止, 退会はこちら, 退订, 取消订阅, 退訂, 取消訂閱, 수신거부, 수신 거부, 구독 취소
    avregistrera*, afmeld*, meld deg av, odhlásit*, leiratkoz*, dezabon*, hủy đăng ký, peruuta tilaus, berhenti berlangganan`,
  leave: `
    removal, removing, remove, deletion, delete, cancellation, cancel, no more, stop, leave, leaving, termination, deactivat*
    löschung, löschen, lösche, entfernen, entfernung, kündigung, kündigen, keine mails mehr, keine mehr, austragung, beenden, deaktivier*
    suppression, supprimer, supprimez, retrait, retirer, résiliation, résilier, annulation, plus de, arrêter, désactiv*
    eliminación, eliminar, cancelación, cancelar, no más, anulación, anular, desactiv*, rimozione, rimuovere, rimuovi, cancellazione, eliminazione, eliminare, non più, disattiv*
    remoção, remover, exclusão, excluir, cancelamento, não mais, desativ*, verwijder*, opzegg*, opzeg*, annuler*, geen mails meer, stopzett*, deactiveer*
    usunięci*, usuń*, usuwani*, anulowani*, wypis*, dezaktyw*, удалени*, удалить, отмен*, прекращ*, деактив*, silme*, sil, kaldır*, iptal*, çıkış*, çıkar*
    解除, 削除, 停止, 退会, 取り消し, キャンセル, 移除, 删除, 刪除, 取消, 注销, 註銷, 停用, 해지, 삭제, 취소, 탈퇴, 거부
    avanmäl*, borttag*, ta bort, avslut*, fjern*, slet*, sletning, oppsigelse, zrušen*, zrušit, smazán*, odstran*, törlés*, lemond*, ștergere*, șterge*, renunț*, xóa, hủy, poista*, poisto*, peruuta*, peruutus, hapus, penghapusan, pembatalan, berhenti`,
  password: `
    password*, passcode, passwort*, kennwort*, mot de passe, mots de passe, contraseña*, clave, senha*, palavra-passe, wachtwoord*, hasło, hasła, hasłem, пароль, пароля, паролем, parola*, şifre*, パスワード, 密码, 密碼, 비밀번호, lösenord*, adgangskode*, passord*, heslo, hesla, jelszó*, mật khẩu, salasana*, kata sandi`,
  renew: `
    reset*, new, change, choose, forgot*, recover*, update, create, set, zurücksetz*, zurückzusetz*, neues, neu, änder*, vergessen, festlegen, vergeben, wählen, réinitialis*, nouveau, changer, changez, modifier, modifiez, oublié, choisir, créer
    restablec*, cambi*, recuper*, nueva, olvidó, olvidaste, crear, reimposta*, reimpostare, nuova, ripristina*, modifica*, dimenticat*, resetta*, redefin*, alterar, altere, nova, esquec*, repor, trocar
    opnieuw, herstel*, wijzig*, nieuw, vergeten, resetten, resetuj*, zresetuj*, zmie*, ustaw*, nowe, odzyska*, сброс*, смен*, измен*, новый, восстанов*, задать, создать
    sıfırla*, yenile*, değiştir*, yeni, unuttu*, belirle*, oluştur*, 再設定, リセット, 変更, 新しい, 再発行, 重置, 修改, 重設, 找回, 更改, 变更, 设置新, 재설정, 변경, återställ*, nulstil*, tilbakestill*, obnov*, visszaállít*, đặt lại, vaihda`,
  confirm: `
    confirm, verify, verifying, verification, activate, activation, validate, confirming, confirmation link, email confirmation, complete registration, complete your registration, complete sign up, complete signup, finish signing up, finish your registration, finish setting up, complete your sign-up
    bestätig*, verifizier*, aktivier*, freischalt*, registrierung abschließen, anmeldung abschließen, confirmer, confirmez, confirme, vérifier, vérifiez, activer, activez, valider, validez, je confirme, finaliser mon inscription, finalisez votre inscription, lien de confirmation, vérification, activation
    confirmar, confirma, verificar, verifica, verifique, activar, activa, validar, valida, confirme su, enlace de confirmación, completa tu registro, completar registro, completar el registro, confermare, conferma, verificare, attiva, attivare, completa la registrazione, convalida, confirmação, ativar, ative, valide, concluir cadastro, concluir o registo, verificação
    bevestig*, verifieer*, verifiëren, activeer*, activeren, registratie afronden, registratie voltooien, potwierd*, zweryfikuj*, weryfik*, aktywuj*, aktywac*, aktywow*, dokończ rejestrację, подтверд*, подтвержд*, активир*, активац*, завершить регистрацию, верифи*
    onayla*, doğrula*, etkinleştir*, aktifleştir*, aktive et*, kaydı tamamla*, kaydınızı tamamla*, 確認する, メールアドレスを確認, 認証する, 認証, 本登録, 有効化, 登録を完了, 確認してください, メールを確認, アドレスの確認, 登録完了, 承認する
    确认, 验证, 激活, 驗證, 確認, 啟用, 完成注册, 완료하기, 인증하기, 인증, 확인하기, bekräfta*, bekræft*, bekreft*, verifiera*, ověř*, potvrd*, megerősít*, aktivál*, confirmați, confirmă, xác nhận, xác minh, vahvista*, konfirmasi, verifikasi`,
  login: `
    log in, login, sign in, signin, log-in, sign-in, magic link, log me in, sign me in, log into, sign into, logging in, signing in
    anmelden, einloggen, jetzt anmelden, login-link, anmeldelink, anmeldung, loggen, connexion, connecter, connectez*, me connecter, identifier, iniciar sesión, inicia sesión, inicie sesión, acceder, accede, entrar, ingresar, accedi, accedere, accesso, entra, aceder, acessar, acesse, iniciar sessão, fazer login, inicie sessão
    inloggen, inlog*, log in, aanmelden, meld je aan, zaloguj*, zalogow*, logowani*, войти, войдите, вход, входа, авториз*, giriş yap*, oturum aç*, giriş, girişi, ログイン, サインイン, 登录, 登入, 登錄, 로그인, logga in, log ind, logg inn, přihlás*, bejelentkez*, conectare, conectează*, autentificare, đăng nhập, kirjaudu*, masuk`,
  generic: `
    click, here, tap, this link, the link, following link, link, button, below, go, continue, open, start, this, yes, proceed
    hier, klicke*, klick*, link*, weiter, öffnen, button, diesen, schaltfläche, ici, cliqu*, lien, continuer, suivant, ouvrir, bouton, aquí, clic, haz clic, haga clic, enlace, continuar, botón, abrir, qui, clicca*, continua, bottone, prosegui, pulsante, aqui, clique, botão, este link, continue
    klik*, deze link, verder, doorgaan, knop, tutaj, kliknij*, przejdź, dalej, przycisk, odnośnik*, здесь, нажм*, ссылк*, перейти, перейдите, продолжить, сюда, кнопк*, burada*, buraya*, tıkla*, bağlantı*, devam*, düğme*
    こちら, クリック, リンク, 次へ, 続ける, 開く, 手続き, 点击, 点此, 这里, 此处, 链接, 按钮, 继续, 點擊, 連結, 這裡, 여기, 클릭, här, her, zde, ide, itt, aici, đây, tästä`
})
