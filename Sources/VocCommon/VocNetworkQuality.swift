public import Foundation
import Larder

/// The network's quality as last measured.
public protocol VocNetworkQuality: AnyObject, Sendable {
    var qualityStatus: VocNetworkQualityStatus { get }
    /// When the status was last found or confirmed.
    var timeStamp: Date { get }
}

/// An estimate under the retired names.
final class MeasuredQuality: VocNetworkQuality {
    let qualityStatus: VocNetworkQualityStatus
    let timeStamp: Date

    init(_ estimate: QualityEstimate) {
        qualityStatus = VocNetworkQualityStatus(estimate.status)
        timeStamp = estimate.date
    }
}
