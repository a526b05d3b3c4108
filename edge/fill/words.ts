/** The names of fields and buttons in the languages of large sites. Texts must be normalized by `plain` first. */

import { normalForm } from "../../schemas/legible.ts"

const MARKS = /\p{M}/gu
const CAMEL = /(\p{Ll})(\p{Lu})/gu
const BETWEEN = /[^\p{L}\p{N}]+/gu

/** Normalizes a text: lower case, without accents, words separated by single spaces. */
export const plain = (text: string): string =>
  ` ${normalForm(text.replace(CAMEL, "$1 $2"), "NFKD").replace(MARKS, "").toLowerCase().replace(BETWEEN, " ").trim()} `

const words = (text: string): ReadonlyArray<string> => text.split(",").map((word) => plain(word).trim())

const SHORT = 4
const LATIN = /^[a-z0-9 ]+$/

/** A short word in Latin letters must be a word of its own. A longer one may be a part of another word. */
const stands = (text: string, word: string): boolean =>
  LATIN.test(word) && word.length <= SHORT ? text.includes(` ${word} `) : text.includes(word)

const has = (list: string) =>
  (() => {
    const known = words(list)
    return (text: string): boolean => known.some((word) => stands(text, word))
  })()

export const saysUsername = has(
  "user name,username,user id,userid,user,login,log in,account name,benutzername,benutzer,nutzername,anmeldename,kennung," +
    "identifiant,utilisateur,nom d utilisateur,compte,usuario,nombre de usuario,nome utente,utente,utilizador,nome de usuario," +
    "gebruikersnaam,gebruiker,nazwa uzytkownika,użytkownik,логин,имя пользователя,пользователь,учетная запись,用户名,用戶名,账号," +
    "帐号,帳號,账户,ユーザー名,ユーザー id,ユーザーid,ログインid,ログイン id,アカウント,会員番号,kullanıcı adı,kullanici,kullanıcı,customer number," +
    "kundennummer,member id"
)
export const saysEmail = has(
  "email,e mail,mail,mail adresse,courriel,adresse electronique,correo,correo electronico,posta elettronica,endereco eletronico," +
    "e mailadres,adres e mail,почта,электронная почта,эл почта,邮箱,電子郵件,电子邮件,邮件,メール,メールアドレス,eposta,e posta"
)
export const saysPhone = has(
  "phone,mobile,telephone,telefon,handy,telefono,telefone,telefoon,телефон,手机,電話,电话,電話番号,cep telefonu"
)
export const saysOtp = has(
  "one time,onetime,otp,totp,2fa,mfa,two factor,two step,verification code,security code,authenticator,auth code,authentication code," +
    "passcode,einmalcode,einmalpasswort,bestatigungscode,sicherheitscode,verifizierungscode,code de verification,code de securite," +
    "code a usage unique,codigo de verificacion,codigo de seguridad,codice di verifica,codice di sicurezza,codigo de verificacao," +
    "verificatiecode,beveiligingscode,kod weryfikacyjny,код подтверждения,одноразовый,код из,验证码,驗證碼,動態密碼,确认码,確認コード,認証コード," +
    "ワンタイム,dogrulama kodu,doğrulama kodu"
)
export const saysSearch = has(
  "search,suche,suchen,recherche,buscar,cerca,zoeken,szukaj,поиск,搜索,検索,ara,coupon,voucher,gutschein"
)
export const saysNewsletter = has(
  "newsletter,subscribe,abonnieren,abonnez,suscribirse,suscribete,iscriviti alla,inscreva,nieuwsbrief,biuletyn,рассылк,подписаться," +
    "订阅,訂閱,メルマガ,購読,bulten,bülten"
)
export const saysLogin = has(
  "log in,login,sign in,signin,log on,anmelden,einloggen,anmeldung,connexion,se connecter,connectez,s identifier,iniciar sesion," +
    "acceder,entrar,accedi,accesso,iniciar sessao,inloggen,aanmelden,zaloguj,logowanie,войти,вход,登录,登錄,登入,ログイン,サインイン," +
    "giris yap,giriş yap,giriş,oturum ac"
)
export const saysNext = has(
  "next,continue,proceed,weiter,fortfahren,suivant,continuer,siguiente,continuar,avanti,continua,prosegui,proximo,seguinte,avancar," +
    "volgende,doorgaan,verder,dalej,kontynuuj,далее,продолжить,下一步,继续,繼續,次へ,続ける,続行,ileri,devam"
)
/** Ways to log in other than by name and password. */
export const saysElsewhere = has(
  "google,apple,facebook,microsoft,github,gitlab,linkedin,twitter,amazon,paypal,passkey,sso,single sign on,saml,qr code,magic link"
)
export const saysPasskey = has(
  "passkey,passkeys,pass key,passwordless,sicherheitsschlussel,cle d acces,clave de acceso,llave de acceso,chave de acesso," +
    "toegangssleutel,klucz dostepu,ключ доступа,通行密钥,通行密鑰,パスキー,gecis anahtari,geçiş anahtarı"
)
export const saysVerify = has(
  "verify,confirm,submit,bestatigen,prufen,verifier,valider,confirmer,verificar,confirmar,verifica,conferma,verifieren,bevestigen," +
    "zweryfikuj,potwierdz,подтвердить,проверить,验证,確認,認証,確定,dogrula,doğrula,onayla"
)
export const saysSignup = has(
  "sign up,signup,register,registration,create account,create an account,create your account,join,registrieren,konto erstellen," +
    "konto anlegen,neukunde,inscrire,inscription,creer un compte,creer mon compte,registrarse,registrate,crear cuenta,crear una cuenta," +
    "registrati,crea account,crea un account,iscriviti,registrar,cadastrar,cadastre,criar conta,registreren,account aanmaken," +
    "zarejestruj,utworz konto,załóż konto,зарегистрироваться,регистрация,создать аккаунт,注册,註冊,建立帳戶,新規登録,会員登録,登録する," +
    "アカウント作成,アカウントを作成,kaydol,kayıt ol,hesap olustur,hesap oluştur,uye ol"
)
export const saysPay = has(
  "pay,pay now,place order,buy,purchase,complete order,checkout,bezahlen,zahlen,jetzt kaufen,zahlungspflichtig,kostenpflichtig," +
    "bestellen,payer,paiement,commander,pagar,comprar,finalizar,paga,acquista,pagamento,betalen,afrekenen,zaplac,zapłać,kup," +
    "оплатить,купить,заплатить,支付,付款,购买,購買,支払う,支払い,購入,注文を確定,ode,öde,satin al,satın al"
)
export const saysNew = has(
  "new,neu,neues,nouveau,nueva,nuevo,nuova,nuovo,nova,novo,nieuw,nowe,новый,新,yeni,confirm,repeat,again,retype,wiederholen," +
    "bestatigen,confirmer,confirmation,confirmar,repetir,conferma,ripeti,herhaal,bevestig,powtorz,potwierdz,повторите,подтвердите," +
    "确认,確認,再入力,tekrar"
)
export const saysFirstName = has(
  "first name,firstname,given name,forename,fname,vorname,prenom,nombre,nome,primeiro nome,voornaam,imie,imię,имя,名,first"
)
export const saysLastName = has(
  "last name,lastname,surname,family name,lname,nachname,familienname,nom de famille,nom,apellido,apellidos,cognome,sobrenome," +
    "apelido,achternaam,nazwisko,фамилия,姓,soyad,soyadı,last"
)
export const saysName = has(
  "full name,name,your name,vollstandiger name,nom complet,nombre completo,nome completo,volledige naam,naam,imie i nazwisko," +
    "полное имя,姓名,氏名,お名前,ad soyad"
)
export const saysCardNumber = has(
  "card number,cardnumber,number on card,cc number,ccnumber,ccnum,card no,credit card,debit card,kartennummer,kreditkarte,numero de carte,numero carte," +
    "numero de la carte,numero de tarjeta,tarjeta,numero della carta,numero carta,numero do cartao,cartao,kaartnummer,creditcard," +
    "numer karty,номер карты,卡号,卡號,信用卡,カード番号,クレジットカード,kart numarasi,kart numarası,pan"
)
export const saysExpiry = has(
  "expiry,expiration,expires,exp date,expdate,exp,valid until,valid thru,mm yy,mm yyyy,mmyy,mm jj,mm jjjj,mm aa,mm rr,aa yy,мм гг,月 年,gultig bis,gultigkeit,ablaufdatum," +
    "verfall,date d expiration,expiration,fecha de caducidad,caducidad,vencimiento,fecha de vencimiento,scadenza,data di scadenza," +
    "validade,data de validade,vervaldatum,geldig tot,data waznosci,data ważności,wazna do,срок действия,有效期,到期,有効期限," +
    "son kullanma,exp month,exp year"
)
export const saysMonth = has("month,mm,monat,mois,mes,mese,maand,miesiac,miesiąc,месяц,月,ay")
export const saysYear = has("year,yy,yyyy,jahr,jj,annee,ano,anno,jaar,rok,год,年,yil,yıl")
export const saysCvc = has(
  "cvc,cvv,csc,cvc2,cvv2,cid,card verification,security code,verification value,prufnummer,prufziffer,kartenprufnummer,sicherheitscode," +
    "cryptogramme,code de securite,codigo de seguridad,codice di sicurezza,codigo de seguranca,beveiligingscode,kod zabezpieczajacy," +
    "код безопасности,安全码,安全碼,セキュリティコード,guvenlik kodu,güvenlik kodu"
)
export const saysHolder = has(
  "name on card,cardholder,card holder,card name,holder name,ccname,cc name,karteninhaber,name auf der karte,titulaire,nom sur la carte," +
    "titular,nombre en la tarjeta,intestatario,titolare,nome sulla carta,nome no cartao,nome impresso,kaarthouder,naam op kaart," +
    "posiadacz karty,imie i nazwisko na karcie,владелец карты,имя на карте,持卡人,カード名義,名義人,kart sahibi,kart uzerindeki isim"
)
/** Words for cards that are no payment cards. */
export const saysOtherCard = has(
  "gift,giftcard,loyalty,member number,member card,member no,member id,membership,library,bonus,reward,insurance,insured,health," +
    "voucher,coupon,promo,id card,identity,sim card,phone card,travel card,railcard,geschenk,gutschein,kundenkarte,kundennummer,treue," +
    "mitglied,bibliothek,bucherei,versicher,krankenkasse,gesundheitskarte,ausweis,bahncard,cadeau,fidelite,adherent,carte vitale," +
    "mutuelle,bibliotheque,assurance,regalo,fidelidad,socio,biblioteca,seguro medico,tarjeta sanitaria,fedelta,tessera,assicura,cartao presente,vale presente," +
    "fidelidade,klantenkaart,lidmaatschap,lidnummer,bibliotheek,verzekering,zorgpas,podarunk,lojalnos,stalego klienta,członk," +
    "bibliotek,ubezpiecz,подарочн,бонусн,лояльности,карта клиента,скидочн,читательск,полис,страхов,礼品,禮品,会员,會員,积分,積分," +
    "图书,圖書,保险,医保,社保,ギフト,ポイント,会員,図書,保険,hediye,sadakat,uyelik,üyelik,kutuphane,kütüphane,sigorta"
)
/** Words for dates other than a card's expiry. */
export const saysOtherDate = has(
  "birth,birthday,dob,bday,valid from,start date,issue,delivery,geburt,gultig ab,ausgestellt,lieferung,naissance,livraison,nacimiento," +
    "entrega,nascita,consegna,nascimento,geboorte,bezorg,urodz,dostaw,рожд,доставк,出生,生日,生年月日,配送,dogum,doğum,teslim"
)
export const saysTotal = has(
  "total,amount due,to pay,order total,gesamt,gesamtbetrag,summe,zu zahlen,endbetrag,total a payer,montant,importe,total a pagar," +
    "totale,da pagare,importo,valor total,a pagar,totaal,te betalen,suma,do zaplaty,do zapłaty,razem,итого,к оплате,всего,合计,总计," +
    "總計,应付,合計,総額,お支払い金額,ご請求額,toplam,odenecek,ödenecek"
)
export const saysPartial = has(
  "subtotal,sub total,zwischensumme,sous total,subtotale,subtotaal,suma czesciowa,промежуточный,小计,小計,ara toplam,shipping,versand," +
    "livraison,envio,spedizione,frete,verzending,dostawa,доставка,运费,送料,kargo,tax,vat,mwst,tva,iva,btw,налог,税,kdv,saved,discount," +
    "rabatt,remise,descuento,sconto,desconto,korting,rabat,скидка,优惠,割引,indirim"
)
