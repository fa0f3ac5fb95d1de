#if os(Linux)
    import Glibc

    /// What the services on the bus say, kept in step over one connection. Belongs to one thread.
    final class BusView {
        private enum Question {
            case hello
            case networkOwner, powerOwner
            case network(BusObject)
            case power(BusObject)
        }

        private let connection: BusConnection
        private var networkManager = ServiceMirror<NetworkManagerSubject>()
        private var upower = ServiceMirror<UPowerSubject>()
        private var questions: [UInt32: Question] = [:]
        /// The bus has answered: the address is that of a bus.
        private(set) var isGreeted = false

        /// Connects; `nil` when nobody listens at the address.
        init?(address: String) {
            guard let connection = BusConnection(address: address) else { return nil }
            self.connection = connection
            ask(.ofBus("Hello"), .hello)
            for service in [NetworkManagerSubject.service, UPowerSubject.service] {
                _ = connection.send(
                    .ofBus(
                        "AddMatch",
                        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'"))
            }
            ask(.ofBus("GetNameOwner", NetworkManagerSubject.service), .networkOwner)
            ask(.ofBus("GetNameOwner", UPowerSubject.service), .powerOwner)
        }

        var network: DeviceConditions.Network? { networkManager.answer }
        var power: DeviceConditions.Power? { upower.answer }
        var isConnected: Bool { connection.isConnected }
        /// Whether an answer is outstanding.
        var isWaiting: Bool { !questions.isEmpty }
        var descriptors: [pollfd] { connection.descriptors }

        /// Takes in what has come.
        func handle(_ descriptors: ArraySlice<pollfd>) {
            connection.handle(descriptors)
            while let message = connection.next() { handle(message) }
        }

        /// No answer comes any more to what was asked.
        func giveUp() {
            questions = [:]
            carryOut(networkManager.giveUp(), Question.network, NetworkManagerSubject.service)
            carryOut(upower.giveUp(), Question.power, UPowerSubject.service)
        }

        // MARK: - Messages

        private func handle(_ message: BusMessage) {
            switch message.kind {
            case .answer(let serial):
                if let question = questions.removeValue(forKey: serial) { handle(message.arguments.first, question) }
            case .refusal(let serial): if let question = questions.removeValue(forKey: serial) { handle(nil, question) }
            case .signal: handleSignal(message)
            case .other: break
            }
        }

        /// The answer to a question has come; `nil` for a refusal.
        private func handle(_ answer: BusValue?, _ question: Question) {
            switch question {
            case .hello: isGreeted = answer?.text != nil
            case .networkOwner: setOwner(answer?.text, of: NetworkManagerSubject.service)
            case .powerOwner: setOwner(answer?.text, of: UPowerSubject.service)
            case .network(let object):
                carryOut(
                    networkManager.handle(answer?.table ?? [:], of: object), Question.network,
                    NetworkManagerSubject.service)
            case .power(let object):
                carryOut(upower.handle(answer?.table ?? [:], of: object), Question.power, UPowerSubject.service)
            }
        }

        private func handleSignal(_ signal: BusMessage) {
            let arguments = signal.arguments
            switch signal.member {
            case "NameOwnerChanged" where signal.sender == "org.freedesktop.DBus" && arguments.count == 3:
                guard let name = arguments[0].text, let owner = arguments[2].text else { return }
                setOwner(owner.isEmpty ? nil : owner, of: name)
            case "PropertiesChanged" where arguments.count >= 2:
                guard signal.interface == "org.freedesktop.DBus.Properties", let sender = signal.sender,
                    let path = signal.path, let interface = arguments[0].text, let changed = arguments[1].table
                else { return }
                let object = BusObject(path: path, interface: interface)
                let isMore = arguments.count > 2 && arguments[2].list?.isEmpty == false
                // Anybody may send signals to anybody: only the service's own count.
                if sender == networkManager.owner {
                    carryOut(
                        networkManager.handle(changed: changed, isMore: isMore, of: object), Question.network,
                        NetworkManagerSubject.service)
                } else if sender == upower.owner {
                    carryOut(
                        upower.handle(changed: changed, isMore: isMore, of: object), Question.power,
                        UPowerSubject.service)
                }
            default: break
            }
        }

        private func setOwner(_ owner: String?, of service: String) {
            if service == NetworkManagerSubject.service, owner != networkManager.owner {
                carryOut(networkManager.handle(owner: owner), Question.network, service)
            } else if service == UPowerSubject.service, owner != upower.owner {
                carryOut(upower.handle(owner: owner), Question.power, service)
            }
        }

        // MARK: - Calls

        private func ask(_ call: BusCall, _ question: Question) {
            if let serial = connection.send(call) { questions[serial] = question } else { handle(nil, question) }
        }

        private func carryOut<Subject>(
            _ actions: [ServiceMirror<Subject>.Action], _ question: (BusObject) -> Question, _ service: String
        ) {
            for action in actions {
                switch action {
                case .listen(let path): _ = connection.send(.ofBus("AddMatch", Self.rule(service, path)))
                case .ignore(let path): _ = connection.send(.ofBus("RemoveMatch", Self.rule(service, path)))
                case .read(let object):
                    let call = BusCall(
                        service: service, path: object.path, interface: "org.freedesktop.DBus.Properties",
                        method: "GetAll", arguments: [object.interface])
                    ask(call, question(object))
                }
            }
        }

        private static func rule(_ service: String, _ path: String) -> String {
            "type='signal',sender='\(service)',path='\(path)',interface='org.freedesktop.DBus.Properties',"
                + "member='PropertiesChanged'"
        }
    }
#endif
