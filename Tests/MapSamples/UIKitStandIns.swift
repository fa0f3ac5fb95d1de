// swift-format-ignore-file
// The smallest stand-ins for UIKit's types in the samples.
import Foundation
import VocSdk

typealias UIApplication = VocSdk.UIApplication
typealias UIApplicationLaunchOptionsKey = String

class UIResponder: NSObject {}

protocol UIApplicationDelegate: AnyObject {}
